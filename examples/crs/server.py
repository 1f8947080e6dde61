"""The example recommender over HTTP: a webhook, and an OpenAI-compatible chat endpoint.

    python examples/crs/server.py --port 8900 --weakness never-asks

`POST /reply` takes `{messages: [{role, content}]}` and answers `{content, recommendations}`.
`POST /v1/chat/completions` takes and answers what chat clients speak, with `recommendations`
beside the message's content. `GET /items/films` and `/items/restaurants` list what it knows.
`GET /situations/<fault>` lists logs whose next reply has that fault under `--weakness <fault>`, and is as it should be without.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import uvicorn

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from dialogue import WEAKNESSES, Recommender, chance, load_items, weakness  # noqa: E402 - a script's own folder
from planting import Message, load_situations, situations_by_talk, talk  # noqa: E402

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def create_app(weaknesses: Sequence[str] = ()) -> Callable[[dict[str, Any], Receive, Send], Awaitable[None]]:
    """The ASGI application of a recommender with some weaknesses."""
    catalogues = load_items(HERE)
    given = dict(weakness(text, [*WEAKNESSES, *sorted(load_situations())]) for text in weaknesses)
    faults = {name: share for name, share in given.items() if name not in WEAKNESSES}
    recommender = Recommender(
        catalogues, {name: share for name, share in given.items() if name in WEAKNESSES}
    )

    def answer(method: str, path: str, body: bytes) -> tuple[int, object]:
        if method == "GET" and path.startswith("/items/") and path[7:] in catalogues:
            return 200, [dataclasses.asdict(item) for item in catalogues[path[7:]]]
        if method == "GET" and path.startswith("/situations/") and path[12:] in load_situations():
            return 200, [one.log for one in load_situations()[path[12:]]]
        if method != "POST" or path not in ("/reply", "/v1/chat/completions"):
            return 404, {
                "error": "there is only /reply, /v1/chat/completions, /items/<domain> and /situations/<fault>"
            }
        try:
            messages = json.loads(body)["messages"]
            said = [{"role": m["role"], "content": m["content"] or ""} for m in messages]
            reply = known_reply(said, faults) or dataclasses.asdict(recommender.reply(said))
        except (ValueError, KeyError, TypeError) as wrong:
            return 400, {"error": f"the body is not {{messages: [{{role, content}}]}}: {wrong!r}"}
        if path == "/reply":
            return 200, reply
        message = {"role": "assistant", **reply}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, {
            "id": "example",
            "object": "chat.completion",
            "model": "example-crs",
            "choices": [choice],
        }

    async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body, more = b"", True
        while more:
            event = await receive()
            body += event.get("body", b"")
            more = event.get("more_body", False)
        status, content = answer(scope["method"], scope["path"], body)
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(content, ensure_ascii=False).encode()})

    return app


def known_reply(messages: Sequence[dict[str, str]], faults: Mapping[str, float]) -> Message | None:
    """The next reply in a situation that it knows, with a fault that is switched on or without; None in any other."""
    situations = situations_by_talk().get(talk(messages))
    if not situations:
        return None
    bad = (one.bad for name, one in situations.items() if chance(name, messages) < faults.get(name, 0.0))
    return next(bad, next(iter(situations.values())).good)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="A small recommender to try evaluations on.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8900)
    parser.add_argument(
        "--weakness",
        action="append",
        default=[],
        help=f"{', '.join(WEAKNESSES)}, or a fault (crs-eval faults); with :0.33 it shows in a third of the replies; may be "
        "repeated",
    )
    options = parser.parse_args()
    try:
        app = create_app(options.weakness)
    except ValueError as wrong:
        parser.error(str(wrong))
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning", lifespan="off")


if __name__ == "__main__":
    main()
