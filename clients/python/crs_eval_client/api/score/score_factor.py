from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.factor_score_request import FactorScoreRequest
from ...models.problem import Problem
from ...models.score_problem import ScoreProblem
from ...models.verdict import Verdict
from ...types import Response


def _get_kwargs(
    factor: str,
    *,
    body: FactorScoreRequest,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/score/{factor}".format(
            factor=quote(str(factor), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Problem | ScoreProblem | Verdict | None:
    if response.status_code == 200:
        response_200 = Verdict.from_dict(response.json())

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

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())

        return response_404

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
        response_502 = ScoreProblem.from_dict(response.json())

        return response_502

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if response.status_code == 504:
        response_504 = ScoreProblem.from_dict(response.json())

        return response_504

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(
    *, client: AuthenticatedClient | Client, response: httpx.Response
) -> Response[Problem | ScoreProblem | Verdict]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    factor: str,
    *,
    client: AuthenticatedClient,
    body: FactorScoreRequest,
) -> Response[Problem | ScoreProblem | Verdict]:
    """Judge a log on one factor

     Judges the log on the factor that the path names.

    Args:
        factor (str):
        body (FactorScoreRequest): A log to be judged on one factor.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ScoreProblem | Verdict]
    """

    kwargs = _get_kwargs(
        factor=factor,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    factor: str,
    *,
    client: AuthenticatedClient,
    body: FactorScoreRequest,
) -> Problem | ScoreProblem | Verdict | None:
    """Judge a log on one factor

     Judges the log on the factor that the path names.

    Args:
        factor (str):
        body (FactorScoreRequest): A log to be judged on one factor.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ScoreProblem | Verdict
    """

    return sync_detailed(
        factor=factor,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    factor: str,
    *,
    client: AuthenticatedClient,
    body: FactorScoreRequest,
) -> Response[Problem | ScoreProblem | Verdict]:
    """Judge a log on one factor

     Judges the log on the factor that the path names.

    Args:
        factor (str):
        body (FactorScoreRequest): A log to be judged on one factor.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ScoreProblem | Verdict]
    """

    kwargs = _get_kwargs(
        factor=factor,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    factor: str,
    *,
    client: AuthenticatedClient,
    body: FactorScoreRequest,
) -> Problem | ScoreProblem | Verdict | None:
    """Judge a log on one factor

     Judges the log on the factor that the path names.

    Args:
        factor (str):
        body (FactorScoreRequest): A log to be judged on one factor.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ScoreProblem | Verdict
    """

    return (
        await asyncio_detailed(
            factor=factor,
            client=client,
            body=body,
        )
    ).parsed
