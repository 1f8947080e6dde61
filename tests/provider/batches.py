"""The batch APIs of OpenAI (`/files`, `/batches`) and Anthropic (`/messages/batches`), as the local provider speaks them."""

import json
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from .behaviours import Payload

Respond = Callable[[bool, Payload], tuple[int, Payload] | None]
"""The status and body that answer one prompt (of Anthropic's protocol, if true); None for one that expires."""
CREATED = re.compile(r"/(v1/messages/batches|v1/batches)$")
KNOWN = re.compile(r"/v1/(files|batches|messages/batches)(/|\?|$)")


@dataclass
class Batch:
    """A batch with its prompts by id, and how often somebody looked at it."""

    id: str
    prompts: dict[str, Payload]
    metadata: dict[str, str] = field(default_factory=dict)
    looks: int = 0
    made: float = field(default_factory=time.time)


class BatchDesk:
    """Takes batches, and has ended them after `looks_needed` looks. `paid` counts how often each prompt came in."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self.paid: Counter[str] = Counter()
        self.looks_needed = 2
        self.created: Callable[[], None] = lambda: None
        """Called when a batch has come in, before the client knows."""
        self.looked: Callable[[], None] = lambda: None
        """Called when a client looks at a batch."""

    def takes(self, path: str) -> bool:
        """Return whether a path is one of a batch API."""
        return KNOWN.match(path) is not None

    def answer(self, url: str, path: str, body: bytes) -> bytes:
        """The body that answers a request; `url` is the server's own."""
        anthropic = path.startswith("/v1/messages")
        place = (
            path.split("?", maxsplit=1)[0]
            .removeprefix("/v1/messages" if anthropic else "/v1")
            .strip("/")
            .split("/")
        )
        if place[0] == "files":
            return self._upload(body) if len(place) == 1 else self._files[place[1]]
        if CREATED.match(path) and body:
            found: Any = self._batch(url, self._create(json.loads(body)), anthropic)
            self.created()
        elif len(place) == 1:
            newest = [self._batch(url, one, anthropic) for one in reversed(self.batches.values())]
            found = {"object": "list", "data": newest, "has_more": False}
        elif len(place) == 3:
            return b"\n".join(self._result(*entry) for entry in self.batches[place[1]].prompts.items())
        else:
            self.batches[place[1]].looks += 1
            self.looked()
            found = self._batch(url, self.batches[place[1]], anthropic)
        return json.dumps(found).encode()

    def _upload(self, body: bytes) -> bytes:
        name = f"file-{len(self._files)}"
        boundary = body.split(b"\r\n", 1)[0]
        part = next(one for one in body.split(boundary) if b"filename=" in one)
        self._files[name] = part.split(b"\r\n\r\n", 1)[1].rstrip()
        record = {"id": name, "object": "file", "bytes": len(part), "created_at": 1, "filename": "x"}
        return json.dumps(record | {"purpose": "batch", "status": "processed"}).encode()

    def _create(self, payload: Payload) -> Batch:
        if "requests" in payload:
            prompts = {one["custom_id"]: one["params"] for one in payload["requests"]}
        else:
            lines = map(json.loads, self._files[payload["input_file_id"]].splitlines())
            prompts = {one["custom_id"]: one["body"] for one in lines}
        batch = Batch(f"batch_{len(self.batches)}", prompts, payload.get("metadata") or {})
        self.batches[batch.id] = batch
        self.paid.update(prompts.keys())
        return batch

    def _batch(self, url: str, batch: Batch, anthropic: bool) -> Payload:
        ended = batch.looks >= self.looks_needed
        if anthropic:
            made = datetime.fromtimestamp(batch.made, UTC).isoformat()
            counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired"), 0)
            return {
                "id": batch.id,
                "type": "message_batch",
                "processing_status": "ended" if ended else "in_progress",
                "request_counts": {"processing": len(batch.prompts), **counts},
                "created_at": made,
                "expires_at": made,
                "results_url": f"{url}/v1/messages/batches/{batch.id}/results" if ended else None,
            }
        if ended:
            self._write_files(batch)
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "input_file_id": "file-0",
            "created_at": int(batch.made),
            "metadata": batch.metadata,
            "status": "completed" if ended else "in_progress",
            "output_file_id": f"{batch.id}-out" if ended else None,
            "error_file_id": f"{batch.id}-errors" if ended else None,
        }

    def _write_files(self, batch: Batch) -> None:
        lines: dict[bool, list[str]] = {True: [], False: []}
        for key, payload in batch.prompts.items():
            answered = self._respond(False, payload)
            if answered is None:
                expired = {"code": "batch_expired", "message": "This request could not be executed in time."}
                line: Payload = {"custom_id": key, "response": None, "error": expired}
            else:
                status, body = answered
                line = {"custom_id": key, "response": {"status_code": status, "body": body}, "error": None}
            lines[answered is not None and answered[0] == 200].append(json.dumps(line))
        self._files[f"{batch.id}-out"] = "\n".join(lines[True]).encode()
        self._files[f"{batch.id}-errors"] = "\n".join(lines[False]).encode()

    def _result(self, key: str, payload: Payload) -> bytes:
        answered = self._respond(True, payload)
        result: Payload
        if answered is None:
            result = {"type": "expired"}
        elif answered[0] == 200:
            result = {"type": "succeeded", "message": answered[1]}
        else:
            result = {"type": "errored", "error": answered[1]}
        return json.dumps({"custom_id": key, "result": result}).encode()
