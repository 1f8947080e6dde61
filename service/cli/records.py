"""What came of each conversation, as lines of a results file."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .inputs import Json
from .stopping import CommandError

CACHE_MISS = "cache_miss"


@dataclass(frozen=True)
class Record:
    """One answer of the service, or why there is none. `request` is a digest of all that was sent."""

    conversation: str
    system: str | None
    path: str
    request: str
    answer: Json | None
    failure: Json | None

    @property
    def verdicts(self) -> Sequence[Json]:
        """The answer's verdicts."""
        return (self.answer or {}).get("verdicts") or ()

    @property
    def failed(self) -> Sequence[Json]:
        """The verdicts that have no usable answer."""
        return [verdict for verdict in self.verdicts if verdict["status"] == "failed"]

    @property
    def settled(self) -> bool:
        """Whether asking again could bring nothing more."""
        return self.answer is not None and not self.failed and not self.answer.get("debate_failure")

    @property
    def comparison_key(self) -> str | None:
        """Under which this compares with others; None for failures."""
        return (self.answer or {}).get("comparison_key")

    @property
    def usage(self) -> Mapping[str, Any]:
        """Tokens and cost; empty where nothing is known of them."""
        return (self.answer or {}).get("usage") or {}

    def line(self) -> str:
        """The record as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")) + "\n"


def digest(path: str, body: Json) -> str:
    """16 hex digits over a request: the same for the same, whatever the order of its fields."""
    canonical = json.dumps([path, body], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def parse_record(value: Any) -> Record | None:
    """A line of a results file; None for anything else."""
    with contextlib.suppress(TypeError, AttributeError):
        record = Record(**value)
        if isinstance(record.request, str) and (record.answer or record.failure):
            return record
    return None


def stored_records(path: Path) -> dict[str, Record]:
    """The records of a results file or journal by their request. A torn last line, from a run that was
    killed while it wrote, is left out. Raises CommandError where the file holds something else."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    found: dict[str, Record] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_record(json.loads(line))
        except ValueError:
            if number == len(lines):
                break
            record = None
        if record is None:
            raise CommandError(
                f"{path}:{number} is no result of this command. Choose another file for --out."
            )
        found[record.request] = record
    return found


def write_atomically(path: Path, content: str) -> None:
    """Write the whole file or nothing of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    partial.write_text(content, encoding="utf-8")
    partial.replace(path)


def write_records(path: Path, records: Iterable[Record]) -> None:
    """All records, one a line."""
    write_atomically(path, "".join(record.line() for record in records))
