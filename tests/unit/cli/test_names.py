"""Names that nobody knows: told once, with the nearest that is known."""

from http.server import BaseHTTPRequestHandler

import pytest

from service.cli.exits import CommandError
from service.cli.names import check_names, check_request
from service.cli.remote import Remote
from tests.loopback_server import LoopbackServer

KNOWN = ["core", "coherence", "openai:*"]


def test_known_names_and_patterns_pass() -> None:
    check_names("factor", ["coherence", "openai:gpt"], KNOWN)


@pytest.mark.parametrize(
    ("name", "told"),
    [("coherense", "Did you mean 'coherence'?"), ("zzz", "Known here: core, coherence, openai:*.")],
)
def test_an_unknown_name_is_told_with_the_nearest(name: str, told: str) -> None:
    with pytest.raises(CommandError, match="There is no factor") as error:
        check_names("factor", ["core", name], KNOWN)
    assert repr(name) in str(error.value)
    assert told in str(error.value)


class _Stranger(BaseHTTPRequestHandler):
    """Answers every GET alike."""

    status, body = 200, b'{"fine": true}'

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


class _Closed(_Stranger):
    status, body = 403, b'{"detail": "not with this key", "retryable": false}'


async def test_what_is_no_crs_eval_is_told() -> None:
    with LoopbackServer(_Stranger) as server:
        async with Remote(server.url) as remote:
            with pytest.raises(CommandError, match="is no crs-eval"):
                await check_request(remote, {"factors": ["core"]}, {})


async def test_a_key_that_may_not_read_the_lists_may_ask_nevertheless() -> None:
    with LoopbackServer(_Closed) as server:
        async with Remote(server.url) as remote:
            await check_request(remote, {"factors": ["coherense"], "judge": "buitlin"}, {"films": None})
