"""The routes that take a body, read from the contracts of both applications, and what answers them in this process."""

import asyncio
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.app import create_app
from service.domain.idle import Idle
from service.importing.formats import formats
from service.live.conversation import log_of
from service.live.deployment import LiveDeployment
from service.live.intake import sent
from service.live_app import create_live_app
from service.settings import Settings
from service.store.conversations.protocol import ClaimedConversation, Entry
from tests.memory_probe import post
from tools.format_samples import Line, sample

JSON, LINES = "application/json", "application/x-ndjson"
TALK: Sequence[Line] = (
    ("user", "Something calm, please."), ("assistant", "Try Paper Lanterns (2009): slow, set by the sea."),
)  # fmt: skip
PARAMETERS = {"factor": "coherence"}
"""Values of parameters in paths; others are called by their own names."""


@dataclass(frozen=True)
class Route:
    """A route that takes a body of one media type, with bodies that fit, as the contract gives them."""

    live: bool
    path: str
    media: str
    examples: Sequence[Any] = ()


class Posted:
    """Both applications, asked without a connection. What `crs-eval live` takes is read as its worker would, and not kept."""

    def __init__(self, catalogs: Path | None = None) -> None:
        app = create_app(Settings(workers=0, catalogs=catalogs))
        with tempfile.TemporaryDirectory() as folder:
            live = create_live_app(Settings(live_state=Path(folder) / "open.db"))
        self.routes = [*_routes(app.openapi(), live=False), *_routes(live.openapi(), live=True)]
        state = asyncio.run(self._start(app))
        kept = {**state, "live": LiveDeployment(_Taken(), state["deployment"].limits)}  # type: ignore[arg-type]
        self._apps = {False: (app, state), True: (live, kept)}

    async def _start(self, app: Any) -> Any:
        async with app.router.lifespan_context(app) as state:
            return state

    async def ask(
        self, route: Route, body: bytes, sent: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """The status and the answer of a request, with other headers where they are given; of a batch the highest status of
        its lines."""
        app, state = self._apps[route.live]
        status, answer = await post(app, state, route.path, body, route.media, sent)
        if route.media == LINES and status == 200:
            status = max((json.loads(line)["status"] for line in answer.split(b"\n") if line), default=status)
        return status, answer


class _Taken:
    """Takes posts as a worker does: each must be one, and the conversation that it makes must be a log."""

    async def put(self, contents: Sequence[bytes]) -> None:
        for content in contents:
            found = sent(Entry("0", content), Idle())
            times = (0.0, 0.0, 0.0, 0.0)
            messages = list(found.messages.values())
            log_of(
                ClaimedConversation(
                    found.conversation, 1, 1, 1, 1, found.complete, *times, found.facts, messages
                ),
                2000,
            )


def _routes(document: Mapping[str, Any], *, live: bool) -> list[Route]:
    found = []
    for path, methods in document["paths"].items():
        filled = re.sub(r"\{(\w+)\}", lambda name: PARAMETERS.get(name[1], name[1]), path)
        contents = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for media, content in contents.items():
            found.append(Route(live, filled, media, _examples(document, content)))
    return found


def _examples(document: Mapping[str, Any], content: Mapping[str, Any]) -> list[Any]:
    """Bodies that fit, each a value of JSON; of a batch its lines. Protobuf has the same fields as its JSON."""
    schema = content.get("x-line", content["schema"])
    if "$ref" not in schema:
        return [json.loads(sample(formats()["opentelemetry"], TALK))]
    named = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    examples: list[Any] = named.get("examples") or [
        {"messages": [{"role": role, "content": text} for role, text in TALK]}
    ]
    return [examples] if "x-line" in content else examples
