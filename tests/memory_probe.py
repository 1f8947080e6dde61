"""Measure the memory that bodies take: each is sent to the service in a separate child process, which
reports its peak size.

Prints one JSON line a body: `name`, `status`, `size` of the body and `grown`, both in bytes."""

import asyncio
import ctypes
import gc
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from service.app import create_app
from service.settings import Settings
from service.telemetry.logging import configure_logging
from service.workers.allocator import give_back_memory

Bodies = Callable[[int], Iterator[tuple[str, str, bytes]]]
MESSAGE = b'{"role":"user","content":""}'
REPLY = b'{"role":"assistant","content":"Try Dust Hymnal (1969), it is slow and set by the sea."}'
VERDICT = (
    b'{"factor":"coherence","status":"scored","score":3,"level":3,"scale":{"min":0,"max":4},"rationale":"r",'
    b'"evidence":[],"turns":null,"confidence":null,"reason":null,"flags":[],"judge":{"name":"builtin","model":null},'
    b'"evaluator_revision":"x","samples":{"requested":1,"n":1,"scores":[3],"spread":0},"cached":false,'
    b'"prompt_hash":null,"usage":{"input_tokens":0,"output_tokens":0,"cached_input_tokens":0,"cost":null,"saved_tokens":0}}'
)
RATING = b'{"conversation":"c%d","factor":"f","rater":"r","kind":"judge","score":%d.5}'
BODY = {
    "/agreement": (b'{"ratings":[', b"]}"),
    "/behavior-alignment": (b'{"method":"explicit","pairs":[', b"]}"),
}
LOG = b'{"log":{"messages":[%b,%b],' % (MESSAGE, REPLY)


def filled(before: bytes, part: bytes, after: bytes, size: int) -> bytes:
    """The part as often as a body of `size` bytes has room for it, `%d` in it counted up."""
    parts = []
    left = size - len(before) - len(after)
    number = 0
    while left > 0:
        one = part.replace(b"%d", b"%d" % number)
        parts.append(one)
        left -= len(one) + 1
        number += 1
    return before + b",".join(parts) + after


def hostile(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Bodies of about `size` bytes in the shapes that take the most memory, each with its name and route."""
    routes = {
        "/score": (b'{"log":{"messages":[', b"]}}"),
        "/computational-metrics": (b'{"logs":[', b"]}"),
        "/simulate/profile": (b'{"reviews":[', b"]}"),
        "/debate": (LOG[:-1] + b'},"verdicts":[', b"]}"),
        "/evaluate": (b'{"unknown":[', b"]}"),
        "/compare": (LOG[:-1].replace(b"log", b"first") + b'},"second":{"messages":[', b"]}}"),
        "/simulate/audit": (b'{"logs":[', b"]}"),
        "/simulate": (b'{"simulator":{"type":"scripted"},"log":{"history":[', b"]}}"),
        **BODY,
    }
    parts = {
        "objects": b"{}", "arrays": b"[]", "numbers": b"1", "nulls": b"null", "strings": b'"a%d"',
        "deep": b"[" * 28 + b"]" * 28, "keys": b'{"%d":1}', "pairs of brackets": b"[{}]",
    }  # fmt: skip
    # Every part goes to a third of the routes, and every route gets a third of the parts.
    for number, (name, part) in enumerate(parts.items()):
        for path in list(routes)[number % 3 :: 3]:
            before, after = routes[path]
            yield f"{name} {path}", path, filled(before, part, after, size)
    # Each of many missing fields is a fault about all that stands beside them.
    for part in (b'"ab"', b'"a%d"'):
        verdict = filled(LOG[:-1] + b'},"verdicts":[{"x":[', part, b"]}]}", size)
        yield f"a verdict without its fields, with {part.decode()}", "/debate", verdict
        yield f"no logs, but {part.decode()}", "/compare", filled(b'{"x":[', part, b"]}", size)
    yield "keys of one object", "/score", filled(b'{"log":{"messages":[],', b'"k%d":1', b"}}", size)
    yield "metadata", "/score", filled(LOG + b'"metadata":{', b'"k%d":""', b"}}}", size)
    yield (
        "attributes",
        "/score",
        filled(LOG + b'"items":[{"title":"x","attributes":{', b'"k%d":[]', b"}}]}}", size),
    )
    yield "scales", "/agreement", filled(b'{"ratings":[],"scales":{', b'"k%d":{"min":0,"max":1}', b"}}", size)
    known = filled(b'{"ratings":[],"scales":{', b'"k%d":{"min":0,"max":1,"x":1}', b"}}", 27_000)
    yield "scales with a thousand unknown keys", "/agreement", known
    yield "not JSON", "/score", b'{"log":' + b'"' * size
    yield "colons", "/score", b":" * size
    yield "escapes", "/score", b'{"log":{"messages":[{"role":"user","content":"%b"}' % (b'\\"' * (size // 2))
    yield "surrogates", "/score", LOG + b'"id":"' + b"\\ud800" * (size // 6) + b'"}}'


def honest(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Bodies of about `size` bytes that fit the contract."""
    words = b"Something slow by the sea, please; not too long. "
    logs, score = b'{"log":{"messages":[', "/score/coherence"
    few = b",".join(b'"f%d"' % number for number in range(500))
    said = b",".join([MESSAGE.replace(b'""', b'"%b"' % words), REPLY] * 5)
    film = b'{"id":"film-%d","title":"The Film of Number %d (1999)","attributes":{"genre":["drama","western"],"director":["A. Person"]},'
    pair = b'"candidate_strategy":"credibility","reference_strategy":"credibility"'
    judged = b'{"logs":[{"messages":[%b,%b]}],"metrics":["recall"],"verdicts":[[' % (MESSAGE, REPLY)
    # A conversation has at most 2,000 messages, a list at most 1,000 verdicts.
    for name, path, before, part, after, most in (
        ("ratings", "/agreement", b'{"ratings":[', RATING, b'],"bootstrap":0,"statistics":["mean_score"]}', size),
        ("messages", score, logs, b'{"role":"user","content":"%b"}' % (words * 3), b"]}}", 350_000),
        ("short messages", score, logs, MESSAGE, b"]}}", 58_000),
        ("lists", "/score/diversity", logs + MESSAGE + b",", b'{"role":"assistant","content":"x","recommendations":[%b]}' % few, b"]}}", size),
        ("verdicts", "/computational-metrics", judged, VERDICT, b"]]}", 400_000),
        ("logs", "/computational-metrics", b'{"metrics":["recall"],"logs":[', b'{"messages":[%b]}' % said, b"]}", size),
        ("items", score, LOG + b'"items":[', film + b'"description":"' + words * 6 + b'"}', b"]}}", size),
        ("pairs", "/behavior-alignment", b'{"method":"explicit","pairs":[', b'{"candidate":"%b","reference":"%b",%b}' % (words * 4, words * 4, pair), b"]}", size),
    ):  # fmt: skip
        yield name, path, filled(before, part, after, min(size, most))
    long = words * (size // len(words))
    for name, text in (("one long text", long), ("one long text of wide letters", "🎬 ".encode() + long)):
        yield name, score, LOG.replace(b"Try", text) + b'"id":null}}'


def titles(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Items of about `size` bytes whose titles are long, and share no word."""
    parts = []
    for number in range(-(-size // 540)):
        letters = _letters(number, 480)
        words = " ".join(letters[start : start + 16] for start in range(0, 480, 16))
        parts.append(b'{"id":"%d","title":"%b"}' % (number, words.encode()))
    yield "titles", "/score/coherence", LOG + b'"items":[%b]}}' % b",".join(parts)


def bare(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Items of about `size` bytes that are little but a title, of all kinds that an index spells in several ways."""
    for name, title in (
        ("short", "A %d"), ("plain", "Film %d of the Year"), ("subtitles", "Series %d: The Return of the King %d"),
        ("typical", 'The Long Way %d (2004)","attributes":{"genre":["comedy","drama"],"decade":["2000s"]},"id":"m%d'),
    ):  # fmt: skip
        part = b'{"title":"%b"}' % title.encode()
        yield name, "/score/coherence", filled(LOG + b'"items":[', part, b"]}}", size)
    words = b",".join(
        b'{"id":"%d","title":"%b"}' % (n, _letters(n, 2000).encode()) for n in range(size // 2030)
    )
    yield "words of 2,000 letters", "/score/coherence", LOG + b'"items":[%b]}}' % words


def demanding(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Bodies of about `size` bytes, of so many small parts that their answers once took three times what they may."""
    yield (
        "many short logs", "/computational-metrics", filled(
            b'{"logs":[',
            b'{"ground_truth":["Dust %d"],"system":"s","messages":[{"role":"user","content":""},'
            b'{"role":"assistant","content":"Try Dust %d.","recommendations":["Dust %d","Film %d","Other %d","Else %d"]}]}',
            b"]}", size,
        ),
    )  # fmt: skip
    said = b"Something slow by the sea, please; not too long. "
    yield (
        "many short messages", "/score", filled(
            b'{"log":{"messages":[',
            b'{"role":"user","content":"%b %%d"},{"role":"assistant","content":"Try Dust Hymnal (1969), it is slow. %b"}'
            % (said, said),
            b"]}}", min(size, 200_000),  # a conversation has at most 2,000
        ),
    )  # fmt: skip
    yield (
        "replies whose words all differ", "/behavior-alignment", b'{"method":"implicit","pairs":[%b]}' % b",".join(
            b'{"candidate":"%b","reference":"%b"}' % (_rare(number), _rare(-number)) for number in range(1, min(size, 100_000) // 330)
        ),
    )  # fmt: skip
    rated = b'{"conversation":"c%%d","factor":"coherence","rater":"%b","kind":"%b","score":%b}'
    yield (
        "ratings of two raters", "/calibrate", filled(
            b'{"ratings":[', rated % (b"r", b"judge", b"3") + b"," + rated % (b"h", b"human", b"4"), b"]}", size
        ),
    )  # fmt: skip


def calibrations(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Ratings for `/calibrate`, of about `size` bytes, whose names are all of their own."""
    row = b'{"conversation":"c%d","situation":"s%d","cluster":"k%d","factor":"f","rater":"r","kind":"judge","score":3}'
    people = b'{"conversation":"c%d","factor":"f","rater":"h","kind":"human","score":%d}'
    labels = b",".join(people % (number, number % 5) for number in range(500))
    yield "ratings", "/calibrate", filled(b'{"ratings":[%b,' % labels, row, b"]}", size)
    yield "empty ratings", "/calibrate", filled(b'{"ratings":[', b"{}", b"]}", size)
    number = size // 40
    names = [b",".join(b'"%b%d"' % (letter, at) for at in range(number)) for letter in (b"c", b"s", b"k")]
    columns = b'{"columns":{"conversation":[%b],"situation":[%b],"cluster":[%b],' % tuple(names)
    rest = b'"factor":["f"],"rater":["r"],"kind":["judge"],"score":[3]}}'
    yield "columns", "/calibrate", columns + rest


def imports(size: int) -> Iterator[tuple[str, str, bytes]]:
    """Contents for `/import`, of about `size` bytes: as people send them, and in the shapes of which most is made."""
    said = "Something slow by the sea please, and not too long"
    number = range(size // 75)
    chats = [
        {"messages": [{"role": "user", "content": said}, {"role": "assistant", "content": said}] * 5}
    ] * (size // 900)
    texts = {
        "transcripts": "\n".join(f"Conversation {n}\nUser: {said}" if n % 10 == 0 else f"Bot: {said}" for n in number),
        "a table": "\n".join(["conversation;role;content", *(f"c{n // 10};user;{said}" for n in number)]),
        "lines": "\n".join(json.dumps({"session_id": n // 10, "role": "user", "content": said}) for n in number[: size // 130]),
        "chats": json.dumps(chats),
        "short lines": "ai:\n" * (size // 5),
        "short rows": "a;b\n" + "1;2\n" * (size // 5),
        "columns": "a," * (size // 2) + "\n1,2\n",
        "empty objects": json.dumps([{}] * (size // 4)),
        "small messages": json.dumps([{"role": "user", "content": ""}] * (size // 50)),
        "names of many parts": json.dumps(
            [{"traceId": "t", "attributes": {"openinference.span.kind": "LLM", **{f"{n}" + ".a" * 20: 1 for n in range(900)}}}] * (size // 60_000)
        ),
    }  # fmt: skip
    for name, text in texts.items():
        yield name, "/import", json.dumps({"text": text}).encode()


def _rare(number: int) -> bytes:
    """Twenty words that nobody says."""
    letters = _letters(number, 120)
    return " ".join(letters[start : start + 6] for start in range(0, 120, 6)).encode()


def _letters(number: int, count: int) -> str:
    """So many letters, other ones for each number."""
    digits = hashlib.shake_256(b"%d" % number).hexdigest(count // 2)
    return digits.translate(str.maketrans("0123456789", "ghijklmnop"))


def line(body: bytes, path: str) -> bytes:
    return b'{"custom_id":"a","path":"%b","body":%b}\n' % (path.encode(), body)


async def post(
    app: Any,
    state: Any,
    path: str,
    body: bytes,
    media: str | None = None,
    sent: Mapping[str, str] | None = None,
) -> tuple[int, bytes]:
    """The status and answer of one request. Its body comes in chunks as a connection brings them, of the type that its route
    takes where `media` is None; or with the headers `sent`."""
    chunks = [body[start : start + 65536] for start in range(0, len(body), 65536)] or [b""]
    chunks.reverse()
    media = media or ("application/x-ndjson" if path == "/batch" else "application/json")
    named = {"host": "localhost", "content-type": media} if sent is None else sent
    headers = [(name.encode(), value.encode()) for name, value in named.items()]
    headers.append((b"content-length", b"%d" % len(body)))
    messages: list[Any] = []

    async def receive() -> dict[str, Any]:
        if not chunks:
            await asyncio.get_running_loop().create_future()
        chunk = chunks.pop()
        return {"type": "http.request", "body": chunk, "more_body": bool(chunks)}

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "headers": headers,
        "server": ("localhost", 80), "client": ("127.0.0.1", 5), "state": dict(state),
    }  # fmt: skip
    await app(scope, receive, send)
    return int(messages[0]["status"]), b"".join(message.get("body", b"") for message in messages[1:])


def _status_line(name: str) -> int:
    text = Path("/proc/self/status").read_text()
    return next(int(row.split()[1]) * 1024 for row in text.splitlines() if row.startswith(name))


async def _warm(app: Any, state: Any, *kinds: Bodies) -> None:
    """Let the service answer small bodies of each kind."""
    for make in kinds:
        for _, path, body in make(2000):
            await post(app, state, path, body)
        await post(app, state, "/batch", line(body, path))


def _trim() -> None:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def _probe(app: Any, state: Any, name: str, path: str, body: bytes, *, warm: bool) -> None:
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        # A child has none of the libraries' pages yet, and would count them as its body's.
        small = b'{"wrong":[null]}'
        asyncio.run(post(app, state, path, line(small, "/score") if path == "/batch" else small))
        if warm:
            asyncio.run(_warm(app, state, honest, demanding))
        _trim()
        Path("/proc/self/clear_refs").write_text("5")  # the largest size counts from here
        before, mapped = _status_line("VmRSS"), _status_line("RssFile")
        status, answer = asyncio.run(post(app, state, path, body))
        if path == "/batch":
            status = json.loads(answer)["status"]
        # Pages of weights that a text reads are the file's: all processes share them, and the kernel may take them back.
        grown = _status_line("VmHWM") - before - max(0, _status_line("RssFile") - mapped)
        print(json.dumps({"name": name, "status": status, "size": len(body), "grown": grown}), flush=True)
    finally:
        os._exit(0)


KINDS: dict[str, Bodies] = {
    make.__name__: make for make in (demanding, bare, calibrations, imports, hostile, honest, titles)
}


def main() -> None:
    """Probe what each line of the input asks for: a kind of bodies and their size such as `honest 600000`. Each runs in a child
    process: all begin at the same. An empty line ends what is found."""
    give_back_memory()
    configure_logging("json", "error")
    app = create_app(Settings(workers=0, request_timeout=3600))  # memory is measured, on busy machines too

    async def start() -> Any:
        async with app.router.lifespan_context(app) as state:
            await _warm(app, state, hostile, honest, demanding)
            return state

    state = asyncio.run(start())
    _trim()
    for asked in sys.stdin:
        kind, _, size = asked.rpartition(" ")
        child = os.fork()
        if not child:
            try:
                _probe_all(app, state, kind, int(size))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        print(flush=True)


def _probe_all(app: Any, state: Any, kind: str, size: int) -> None:
    for name, path, body in KINDS[kind](size):
        answered = kind in ("bare", "demanding", "honest")
        _probe(app, state, name, path, body, warm=answered)
        if path != "/calibrate" or answered:  # no line may be as large as these
            _probe(app, state, f"{name}, a line of a batch", "/batch", line(body, path), warm=answered)
        del body


if __name__ == "__main__":
    main()
