"""The edge of the service as clients meet it: a process of its own, bytes on a socket."""

import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.http_exchange import (
    BODY,
    GZIP,
    JSON,
    LOG,
    ask,
    begin,
    connect,
    events,
    head,
    logged_service,
    memory,
    process_behind,
)
from tests.patience import PATIENCE, wait_for
from tools.service_process import ROOT, running_service

LIMIT = 200_000


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running_service({"MAX_BODY": str(LIMIT)}) as url:
        yield url


# Bodies as gzip


def test_a_batch_may_be_gzip(url: str) -> None:
    lines = b"".join(
        json.dumps({"custom_id": str(n), "path": "/score", "body": json.loads(BODY)}).encode() + b"\n"
        for n in range(5)
    )
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    answer = ask(url, "POST", "/batch", gzip.compress(lines), headers)
    assert [json.loads(line)["status"] for line in answer.body.splitlines()] == [200] * 5


@pytest.fixture(scope="module")
def huge() -> bytes:
    """A body of which even what is sent is over the limit."""
    return gzip.compress(BODY[:-1] + b" " * 300_000_000 + b"}")


@pytest.mark.parametrize("path", ["/score", "/score/coherence", "/evaluate", "/computational-metrics"])
def test_the_limit_counts_inflated_bytes(url: str, huge: bytes, path: str) -> None:
    assert len(huge) > LIMIT
    answer = ask(url, "POST", path, huge, GZIP)
    assert (answer.status, answer.json["type"]) == (413, "/problems/body-too-large")
    packed = gzip.compress(BODY[:-1] + b" " * LIMIT + b"}")
    assert len(packed) < 10_000
    answer = ask(url, "POST", path, packed, GZIP)
    assert (answer.status, answer.json["type"]) == (413, "/problems/body-too-large")


def test_a_gzip_bomb_costs_no_memory(url: str) -> None:
    process = process_behind(url)
    ask(url, "POST", "/score", gzip.compress(BODY), GZIP)
    before = memory(process, "VmHWM")
    bomb = gzip.compress(b"\n" * 150_000_000, 9)
    assert len(bomb) < LIMIT
    assert ask(url, "POST", "/score", bomb, GZIP).status == 413
    answer = ask(url, "POST", "/batch", bomb, {**GZIP, "Content-Type": "application/x-ndjson"})
    assert json.loads(answer.body)["status"] == 413
    assert memory(process, "VmHWM") - before < 10_000_000


def damaged(body: bytes) -> bytes:
    packed = bytearray(gzip.compress(body))
    packed[-6] ^= 0xFF  # within the checksum
    return bytes(packed)


@pytest.mark.parametrize("path", ["/score", "/evaluate", "/computational-metrics"])
@pytest.mark.parametrize(
    "packed",
    [gzip.compress(BODY)[:-9], gzip.compress(BODY)[:50], b"", b"{}", damaged(BODY), gzip.compress(BODY) + b"more"],
    ids=["cut off in its trailer", "cut off", "empty", "no gzip", "a wrong checksum", "more behind it"],
)  # fmt: skip
def test_gzip_that_is_none_is_a_problem(url: str, path: str, packed: bytes) -> None:
    answer = ask(url, "POST", path, packed, GZIP)
    assert (answer.status, answer.json["type"]) == (400, "/problems/malformed-body")
    assert "gzip" in answer.json["detail"]


def test_damaged_gzip_in_a_batch_is_a_last_line(url: str) -> None:
    packed = gzip.compress(b"\n" * 100)[:-5]
    answer = ask(url, "POST", "/batch", packed, {**GZIP, "Content-Type": "application/x-ndjson"})
    assert json.loads(answer.body)["status"] == 400


@pytest.mark.parametrize("coding", ["br", "deflate", "zstd", "gzip, gzip", "gzip, br", "identity, deflate"])
@pytest.mark.parametrize("path", ["/score", "/batch"])
def test_other_codings_are_refused_with_the_fix(url: str, coding: str, path: str) -> None:
    answer = ask(url, "POST", path, gzip.compress(BODY), {**JSON, "Content-Encoding": coding})
    assert answer.status == 415
    assert "Content-Encoding: gzip" in answer.json["detail"]


@pytest.mark.parametrize("coding", ["identity", "", "X-GZIP", " gzip "])
def test_ways_to_name_a_coding(url: str, coding: str) -> None:
    body = gzip.compress(BODY) if "gzip" in coding.lower() else BODY
    assert ask(url, "POST", "/score", body, {**JSON, "Content-Encoding": coding}).status == 200


# Bodies that drip or break off


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A service that waits a second for a body, and its log."""
    log = tmp_path_factory.mktemp("hurried") / "log"
    with logged_service(log, REQUEST_TIMEOUT="1") as url:
        yield url, log


@pytest.mark.parametrize("path", ["/score", "/score/coherence", "/evaluate", "/computational-metrics"])
def test_a_body_that_drips_is_a_408_and_no_defect(hurried: tuple[str, Path], path: str) -> None:
    url, log = hurried
    with connect(url) as connection:
        connection.sendall(head(url, path, f"Content-Length: {len(BODY)}") + BODY[:10])
        answer = begin(connection)
        assert (answer.status, answer.json["type"]) == (408, "/problems/request-timeout")
        assert answer.headers["x-frame-options"] == "DENY"
    assert not events(log, "defect")


def test_a_caller_that_leaves_while_it_sends_is_no_defect_on_any_route(tmp_path: Path) -> None:
    log = tmp_path / "log"
    contract = json.loads((ROOT / "openapi" / "openapi.json").read_text())
    paths = [
        path.replace("{factor}", "coherence") for path, ways in contract["paths"].items() if "post" in ways
    ]
    assert len(paths) >= 10
    with logged_service(log) as url:
        for path in paths:
            for length in (
                f"Content-Length: {len(BODY)}",
                "Content-Length: 400000",
                "Transfer-Encoding: chunked",
            ):
                with connect(url) as connection:
                    begun = b"%x\r\n%b" % (100, BODY[:10]) if "chunked" in length else BODY[:10]
                    connection.sendall(head(url, path, length) + begun)
                    time.sleep(0.02)
        wait_for(lambda: len(events(log, "request")) > 3 * len(paths))
    ended = [line for line in events(log, "request") if line["method"] == "POST"]
    assert len(ended) == 3 * len(paths)
    assert {line["status"] for line in ended} <= {499, 200}  # a batch has begun its answer
    assert not events(log, "defect")


# HEAD, compression, paths


READABLE = ["/", "/docs", "/healthz", "/readyz", "/metrics", "/openapi.json", "/factors", "/factors/coherence", "/choices", "/web/page.js", "/docs/swagger-ui.css"]  # fmt: skip


@pytest.mark.parametrize("path", READABLE)
@pytest.mark.parametrize("coding", ["identity", "gzip"])
def test_head_is_answered_wherever_get_is(url: str, path: str, coding: str) -> None:
    accepted = {"Accept-Encoding": coding}
    got, head = (ask(url, method, path, headers=accepted) for method in ("GET", "HEAD"))
    assert (head.status, head.body) == (200, b"")
    same = ("Content-Type", "Content-Encoding", "Vary", "ETag", "Cache-Control", "X-Frame-Options")
    assert [head.headers[name] for name in same] == [got.headers[name] for name in same]
    if path != "/metrics":
        assert head.headers["Content-Length"] == str(len(got.body))


def test_head_is_no_way_to_post(url: str) -> None:
    answer = ask(url, "HEAD", "/score")
    assert (answer.status, answer.headers["Allow"], answer.body) == (405, "POST", b"")
    assert ask(url, "POST", "/healthz", b"{}", JSON).headers["Allow"] == "GET, HEAD"


LARGE_ANSWERS = ["/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css", "/openapi.json", "/factors", "/metrics", "/web/page.js"]  # fmt: skip


@pytest.mark.parametrize("path", LARGE_ANSWERS)
def test_large_answers_are_compressed_for_who_takes_gzip(url: str, path: str) -> None:
    plain = ask(url, "GET", path)
    packed = ask(url, "GET", path, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert plain.headers["Content-Encoding"] is None
    for answer in (plain, packed):
        assert answer.headers.get_all("Vary") == ["Accept-Encoding"]
    if path != "/metrics":  # its figures move
        assert gzip.decompress(packed.body) == plain.body
        assert packed.headers["ETag"] == plain.headers["ETag"]
    assert len(packed.body) < len(plain.body) / 2


@pytest.mark.parametrize(("path", "accepted"), [("/factors", "br"), ("/factors", None), ("/healthz", "gzip")])
def test_nobody_gets_gzip_who_does_not_take_it_and_no_small_answer_comes_as_gzip(
    url: str, path: str, accepted: str | None
) -> None:
    headers = {} if accepted is None else {"Accept-Encoding": accepted}
    assert ask(url, "GET", path, headers=headers).headers["Content-Encoding"] is None


def test_verdicts_and_problems_are_compressed(url: str) -> None:
    body = json.dumps({"log": LOG}).encode()
    plain, *answers = (
        ask(url, "POST", "/score", body, {**JSON, "Accept-Encoding": c}) for c in ("identity", "gzip", "gzip")
    )
    for packed in answers:  # the second is remembered
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.json == plain.json
        assert len(packed.body) < len(plain.body) / 3
    wrong = json.dumps({"log": LOG, **{f"field-{n}": 1 for n in range(20)}}).encode()
    refused = ask(url, "POST", "/score", wrong, {**JSON, "Accept-Encoding": "gzip"})
    assert (refused.status, refused.headers["Content-Encoding"]) == (422, "gzip")
    assert refused.headers.get_all("Vary") == ["Accept-Encoding"]
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert len(refused.json["errors"]) == 20


def test_streams_and_lines_are_never_compressed(url: str) -> None:
    accepted = {"Accept-Encoding": "gzip"}
    stream = ask(url, "POST", "/score", BODY, {**JSON, **accepted, "Accept": "text/event-stream"})
    assert stream.headers["Content-Encoding"] is None
    assert stream.body.startswith(b"id: 1\nevent: verdict\n")
    line = json.dumps({"custom_id": "a", "path": "/score", "body": {"log": LOG}}).encode()
    batch = ask(url, "POST", "/batch", line, {"Content-Type": "application/x-ndjson", **accepted})
    assert batch.headers["Content-Encoding"] is None
    assert json.loads(batch.body)["status"] == 200


@pytest.mark.parametrize("path", ["/", "/web/page.js", "/docs", "/docs/start.js"])
def test_a_file_is_sent_once_to_who_keeps_it(url: str, path: str) -> None:
    first = ask(url, "GET", path)
    again = ask(url, "GET", path, headers={"If-None-Match": first.headers["ETag"], "Accept-Encoding": "gzip"})
    assert (again.status, again.body) == (304, b"")
    assert ask(url, "GET", path, headers={"If-None-Match": '"other"'}).status == 200


def test_a_slash_too_many_is_a_problem_that_says_so(url: str) -> None:
    answer = ask(url, "POST", "/score/", BODY, JSON)
    assert answer.status == 404
    assert "slash" in answer.json["detail"]


# Batches that are held open


DRIPS = {"blank lines": b"\n", "a line that does not end": b" ", "lines that are none": b"{}\n"}


@pytest.mark.parametrize("drop", DRIPS.values(), ids=DRIPS)
def test_a_batch_that_drips_is_given_up(hurried: tuple[str, Path], drop: bytes) -> None:
    url, _ = hurried
    with connect(url) as connection:
        connection.sendall(head(url, "/batch", "Transfer-Encoding: chunked"))
        connection.settimeout(0.2)
        answer = b""
        deadline = time.monotonic() + PATIENCE
        while b'"status":408' not in answer and time.monotonic() < deadline:
            try:
                connection.sendall(b"%x\r\n%b\r\n" % (len(drop), drop))
                answer += connection.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
    assert b'"status":408' in answer
