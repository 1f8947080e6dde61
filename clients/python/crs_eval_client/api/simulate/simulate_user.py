from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...models.simulate_answer import SimulateAnswer
from ...models.simulate_request import SimulateRequest
from ...types import Response


def _get_kwargs(
    *,
    body: SimulateRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/simulate",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | SimulateAnswer | None:
    if response.status_code == 200:
        response_200 = SimulateAnswer.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())

        return response_403

    if response.status_code == 408:
        response_408 = Problem.from_dict(response.json())

        return response_408

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())

        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())

        return response_415

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())

        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = Problem.from_dict(response.json())

        return response_500

    if response.status_code == 502:
        response_502 = Problem.from_dict(response.json())

        return response_502

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if response.status_code == 504:
        response_504 = Problem.from_dict(response.json())

        return response_504

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | SimulateAnswer]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: SimulateRequest,
) -> Response[Problem | SimulateAnswer]:
    """Play a user against a recommender

     Without `crs`, answers with the next message of the simulated user after `log`, which must not
    end with a user's. With `crs`, runs the session to its end; a recommender that errors, hangs,
    falls silent or floods ends it, and the answer says so and carries the log so far.

    Args:
        body (SimulateRequest): A user to simulate, and what was said so far.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SimulateAnswer]
    """

    kwargs = _get_kwargs(
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: SimulateRequest,
) -> Problem | SimulateAnswer | None:
    """Play a user against a recommender

     Without `crs`, answers with the next message of the simulated user after `log`, which must not
    end with a user's. With `crs`, runs the session to its end; a recommender that errors, hangs,
    falls silent or floods ends it, and the answer says so and carries the log so far.

    Args:
        body (SimulateRequest): A user to simulate, and what was said so far.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SimulateAnswer
    """

    return sync_detailed(
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: SimulateRequest,
) -> Response[Problem | SimulateAnswer]:
    """Play a user against a recommender

     Without `crs`, answers with the next message of the simulated user after `log`, which must not
    end with a user's. With `crs`, runs the session to its end; a recommender that errors, hangs,
    falls silent or floods ends it, and the answer says so and carries the log so far.

    Args:
        body (SimulateRequest): A user to simulate, and what was said so far.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SimulateAnswer]
    """

    kwargs = _get_kwargs(
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: SimulateRequest,
) -> Problem | SimulateAnswer | None:
    """Play a user against a recommender

     Without `crs`, answers with the next message of the simulated user after `log`, which must not
    end with a user's. With `crs`, runs the session to its end; a recommender that errors, hangs,
    falls silent or floods ends it, and the answer says so and carries the log so far.

    Args:
        body (SimulateRequest): A user to simulate, and what was said so far.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SimulateAnswer
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
        )
    ).parsed
