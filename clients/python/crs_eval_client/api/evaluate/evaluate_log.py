from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.debate_problem import DebateProblem
from ...models.evaluate_answer import EvaluateAnswer
from ...models.evaluate_request import EvaluateRequest
from ...models.problem import Problem
from ...types import Response


def _get_kwargs(
    *,
    body: EvaluateRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/evaluate",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> DebateProblem | EvaluateAnswer | Problem | None:
    if response.status_code == 200:
        response_200 = EvaluateAnswer.from_dict(response.json())

        return response_200

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())

        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())

        return response_401

    if response.status_code == 402:
        response_402 = DebateProblem.from_dict(response.json())

        return response_402

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
        response_502 = DebateProblem.from_dict(response.json())

        return response_502

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if response.status_code == 504:
        response_504 = DebateProblem.from_dict(response.json())

        return response_504

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[DebateProblem | EvaluateAnswer | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: EvaluateRequest,
) -> Response[DebateProblem | EvaluateAnswer | Problem]:
    """Score, debate and measure a log

     Judges the log, has roles debate the verdicts, and computes the metrics of this one log. A
    debate that fails leaves the rest standing, and says why in `debate_failure`.

    Args:
        body (EvaluateRequest): A log to be scored, debated and measured.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DebateProblem | EvaluateAnswer | Problem]
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
    body: EvaluateRequest,
) -> DebateProblem | EvaluateAnswer | Problem | None:
    """Score, debate and measure a log

     Judges the log, has roles debate the verdicts, and computes the metrics of this one log. A
    debate that fails leaves the rest standing, and says why in `debate_failure`.

    Args:
        body (EvaluateRequest): A log to be scored, debated and measured.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DebateProblem | EvaluateAnswer | Problem
    """

    return sync_detailed(
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: EvaluateRequest,
) -> Response[DebateProblem | EvaluateAnswer | Problem]:
    """Score, debate and measure a log

     Judges the log, has roles debate the verdicts, and computes the metrics of this one log. A
    debate that fails leaves the rest standing, and says why in `debate_failure`.

    Args:
        body (EvaluateRequest): A log to be scored, debated and measured.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DebateProblem | EvaluateAnswer | Problem]
    """

    kwargs = _get_kwargs(
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: EvaluateRequest,
) -> DebateProblem | EvaluateAnswer | Problem | None:
    """Score, debate and measure a log

     Judges the log, has roles debate the verdicts, and computes the metrics of this one log. A
    debate that fails leaves the rest standing, and says why in `debate_failure`.

    Args:
        body (EvaluateRequest): A log to be scored, debated and measured.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DebateProblem | EvaluateAnswer | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
        )
    ).parsed
