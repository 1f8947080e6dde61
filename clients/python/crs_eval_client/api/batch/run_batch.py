from http import HTTPStatus
from io import BytesIO
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.problem import Problem
from ...types import File, Response


def _get_kwargs(
    *,
    body: File,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/batch",
    }

    _kwargs["content"] = body.payload
    headers["Content-Type"] = "application/x-ndjson"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> File | Problem | None:
    if response.status_code == 200:
        response_200 = File(payload=BytesIO(response.content))

        return response_200

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

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())

        return response_429

    if response.status_code == 500:
        response_500 = Problem.from_dict(response.json())

        return response_500

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())

        return response_503

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[File | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: File,
) -> Response[File | Problem]:
    """Answer many requests, each a line

     Takes newline-delimited JSON, `{custom_id, path, body}` a line, and answers each line as soon as
    it is done, in any order, as `{line, custom_id, status, body}`: what the route at `path` would have
    answered to `body` by POST. A line that fails takes no other with it; one that cannot be read, is
    longer than `CRS_EVAL_MAX_BODY` or repeats a `custom_id` is answered with a problem; empty lines are
    skipped. Sent again, a batch finds in the cache what language models had answered.

    Read while you send. A client that sends everything before it reads should send windows of at most
    500 lines, a request each: the service works on few lines at a time and stops reading while results
    are not taken. A caller that takes nothing for 30 s is cut off; one that sends nothing for as long
    as an answer
    may take (`CRS_EVAL_REQUEST_TIMEOUT`) while nothing is worked on gets a last line with status 408.

    Args:
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Problem]
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
    body: File,
) -> File | Problem | None:
    """Answer many requests, each a line

     Takes newline-delimited JSON, `{custom_id, path, body}` a line, and answers each line as soon as
    it is done, in any order, as `{line, custom_id, status, body}`: what the route at `path` would have
    answered to `body` by POST. A line that fails takes no other with it; one that cannot be read, is
    longer than `CRS_EVAL_MAX_BODY` or repeats a `custom_id` is answered with a problem; empty lines are
    skipped. Sent again, a batch finds in the cache what language models had answered.

    Read while you send. A client that sends everything before it reads should send windows of at most
    500 lines, a request each: the service works on few lines at a time and stops reading while results
    are not taken. A caller that takes nothing for 30 s is cut off; one that sends nothing for as long
    as an answer
    may take (`CRS_EVAL_REQUEST_TIMEOUT`) while nothing is worked on gets a last line with status 408.

    Args:
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Problem
    """

    return sync_detailed(
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: File,
) -> Response[File | Problem]:
    """Answer many requests, each a line

     Takes newline-delimited JSON, `{custom_id, path, body}` a line, and answers each line as soon as
    it is done, in any order, as `{line, custom_id, status, body}`: what the route at `path` would have
    answered to `body` by POST. A line that fails takes no other with it; one that cannot be read, is
    longer than `CRS_EVAL_MAX_BODY` or repeats a `custom_id` is answered with a problem; empty lines are
    skipped. Sent again, a batch finds in the cache what language models had answered.

    Read while you send. A client that sends everything before it reads should send windows of at most
    500 lines, a request each: the service works on few lines at a time and stops reading while results
    are not taken. A caller that takes nothing for 30 s is cut off; one that sends nothing for as long
    as an answer
    may take (`CRS_EVAL_REQUEST_TIMEOUT`) while nothing is worked on gets a last line with status 408.

    Args:
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File | Problem]
    """

    kwargs = _get_kwargs(
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: File,
) -> File | Problem | None:
    """Answer many requests, each a line

     Takes newline-delimited JSON, `{custom_id, path, body}` a line, and answers each line as soon as
    it is done, in any order, as `{line, custom_id, status, body}`: what the route at `path` would have
    answered to `body` by POST. A line that fails takes no other with it; one that cannot be read, is
    longer than `CRS_EVAL_MAX_BODY` or repeats a `custom_id` is answered with a problem; empty lines are
    skipped. Sent again, a batch finds in the cache what language models had answered.

    Read while you send. A client that sends everything before it reads should send windows of at most
    500 lines, a request each: the service works on few lines at a time and stops reading while results
    are not taken. A caller that takes nothing for 30 s is cut off; one that sends nothing for as long
    as an answer
    may take (`CRS_EVAL_REQUEST_TIMEOUT`) while nothing is worked on gets a last line with status 408.

    Args:
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File | Problem
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
        )
    ).parsed
