"""Judged conversations with their logs, and the sample of them that people label."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..exits import CommandError
from ..inputs import Json, grouped, json_digest, read_logs
from ..records import Record
from ..scores import load_run

_LEAST_DRAWN = 2
"""Of each stratum: one conversation says nothing about how much a stratum varies."""


@dataclass(frozen=True)
class DrawnConversation:
    """A drawn conversation by its place. `probability` and `stratum` are None for a simple random sample."""

    place: int
    probability: float | None
    stratum: str | None


def draw(systems: Sequence[str | None], n: int, design: str, seed: int) -> list[DrawnConversation]:
    """Return `n` of the conversations with these systems in random order, all of them where there are fewer. The same seed draws
    the same. By system, every system gets the same number.

    Raises CommandError where `n` is too small for the systems, or a conversation names none."""
    source = random.Random(seed)  # noqa: S311 - a sample that can be repeated, no secret
    n = min(n, len(systems))
    if design == "random":
        return [DrawnConversation(place, None, None) for place in source.sample(range(len(systems)), n)]
    if None in systems:
        raise CommandError("--by system: some results name no system.")
    strata = grouped((str(system), place) for place, system in enumerate(systems))
    if n < _LEAST_DRAWN * len(strata):
        least = _LEAST_DRAWN * len(strata)
        raise CommandError(
            f"The {len(strata)} strata need at least {least} conversations: {', '.join(strata)}."
        )
    counts = _allocated([len(places) for places in strata.values()], n)
    drawn = [
        DrawnConversation(place, count / len(places), name)
        for (name, places), count in zip(strata.items(), counts, strict=True)
        for place in source.sample(places, count)
    ]
    source.shuffle(drawn)
    return drawn


def _allocated(sizes: Sequence[int], n: int) -> list[int]:
    """Return how many each system gets: the same number, at least two, and no more than it has."""
    counts = [min(_LEAST_DRAWN, size) for size in sizes]
    for _ in range(n - sum(counts)):
        free = [index for index, size in enumerate(sizes) if counts[index] < size]
        counts[min(free, key=counts.__getitem__)] += 1
    return counts


@dataclass(frozen=True)
class JudgedLog:
    """A log and what the judge said of it."""

    record: Record
    log: Json

    @property
    def digest(self) -> str:
        """16 hex digits over the log that was sent to be judged."""
        return self.record.digest or json_digest(self.log)

    def is_scored(self, factors: Sequence[str]) -> bool:
        """Return whether one of these factors has a score, or a debate gave one."""
        verdicts = self.record.verdicts
        scored = any(one["status"] == "scored" and one["factor"] in factors for one in verdicts)
        return scored or bool(self.record.debate)


def judged_records(results: Sequence[str]) -> list[Record]:
    """Return the answered records of results files. Two runs of one system, in two files, become two systems, named after
    their files. Raises CommandError for a conversation that one file holds twice."""
    runs = {path: _answered(path) for path in dict.fromkeys(results)}
    seen: dict[tuple[str, str | None], Record] = {}
    shared = {
        record.system
        for records in runs.values()
        for record in records
        if seen.setdefault((record.conversation, record.system), record) != record
    }
    found = {
        (one.conversation, one.system): one
        for path, records in runs.items()
        for record in records
        for name in [f"{record.system} ({path})" if record.system else path]
        for one in [replace(record, system=name) if record.system in shared else record]
    }
    if not found:
        raise CommandError(f"No conversation in {', '.join(results)} was judged.")
    return list(found.values())


def _answered(path: str) -> list[Record]:
    found: dict[tuple[str, str | None], Record] = {}
    for record in load_run(path).records:
        if record.answer is None:
            continue
        if found.setdefault((record.conversation, record.system), record) != record:
            remedy = "give each conversation a different id, or a different system"
            raise CommandError(f"{path} has a second {record.conversation!r}: {remedy}.")
    return list(found.values())


def with_logs(records: Sequence[Record], paths: Sequence[str]) -> list[JudgedLog]:
    """Each record with its log: its simulated session, else a log in `paths` by content. Raises CommandError for a missing log."""
    # One by one: two systems' files hold the same ids.
    sources = [source for path in paths for source in read_logs([path])[0]]
    by_content = {source.digest: source.log for source in sources}
    by_name = {(source.conversation, source.system): source.log for source in sources}
    return [JudgedLog(record, _log_of(record, by_content, by_name)) for record in records]


def _log_of(
    record: Record, by_content: Mapping[str, Json], by_name: Mapping[tuple[str, str | None], Json]
) -> Json:
    if isinstance(own := (record.answer or {}).get("log"), dict):
        return own
    if record.digest is not None and record.digest in by_content:
        return by_content[record.digest]
    log = by_name.get((record.conversation, record.system))
    if log is None:
        remedy = "pass the judged logs with --logs LOGS"
        raise CommandError(f"There is no log of {record.conversation!r}; {remedy}.")
    if record.digest is not None:
        raise CommandError(
            f"The log of {record.conversation!r} is not the one that was judged. Score it again, or pass the judged logs."
        )
    return log
