"""Records of conversations, as lines of a results file."""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .exits import CommandError
from .files import read_content
from .inputs import Json

CACHE_MISS = "cache_miss"


@dataclass(frozen=True)
class Record:
    """One answer of the service, or why there is none. `request` is a digest of all that was sent, `digest`
    one of the log alone. `replies` counts the recommender's replies in it, and `answered` is the share of the user's requests
    that got one, None where there are none. `position` is the place of a log without an id among all, from 1; such a log is called by
    its line, so that `conversation` says nothing about it in another file. `user` is whose conversation it is, where the log says
    so. All of these may be None in results of earlier releases."""

    conversation: str
    system: str | None
    path: str
    request: str
    answer: Json | None
    failure: Json | None
    position: int | None = None
    digest: str | None = None
    replies: int | None = None
    answered: float | None = None
    user: str | None = None

    @property
    def verdicts(self) -> Sequence[Json]:
        return (self.answer or {}).get("verdicts") or ()

    @property
    def warnings(self) -> Sequence[Json]:
        return (self.answer or {}).get("warnings") or ()

    @property
    def debate(self) -> Json | None:
        """Return what a debate came to: `overall`, 0-100, with its `rounds`. None where none was held."""
        answer = self.answer or {}
        return answer if "overall" in answer else answer.get("debate")

    @property
    def debate_failure(self) -> Json | None:
        """Return the reason why a debate has no result though the rest stands."""
        return (self.answer or {}).get("debate_failure")

    @property
    def failed(self) -> Sequence[Json]:
        return [verdict for verdict in self.verdicts if verdict["status"] == "failed"]

    @property
    def complete(self) -> bool:
        """True if another request could add nothing."""
        return self.answer is not None and not self.failed and not self.debate_failure

    @property
    def comparison_key(self) -> str | None:
        """Under which this compares with others; None for failures."""
        return (self.answer or {}).get("comparison_key")

    @property
    def usage(self) -> Mapping[str, Any]:
        """Tokens and cost, of an exam those of its report; empty where nothing is known of them."""
        answer = self.answer or {}
        return (answer.get("report") or answer).get("usage") or {}

    def line(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")) + "\n"


def judge_text(judge: Json) -> str:
    """A judge in one word, with its model where it has one."""
    return f"{judge['name']}:{judge['model']}" if judge["model"] else str(judge["name"])


def debaters_text(debate: Json) -> str:
    """All who spoke in a debate's last round."""
    speakers = {judge_text(said["judge"]) for said in debate["rounds"][-1]["statements"]}
    return "+".join(sorted(speakers))


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
    lines = read_content(path).decode("utf-8", "replace").split("\n")
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
                f"{path} exists, and line {number} is not a result of crs-eval. "
                "The file was not changed. Choose another one with --out."
            )
        found[record.request] = record
    return found


def write_atomically(path: Path, content: str) -> None:
    """Write the whole file or nothing of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        partial.write_text(content, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_records(path: Path, records: Iterable[Record]) -> None:
    """All records, one a line."""
    write_atomically(path, "".join(record.line() for record in records))
