"""Judged conversations with their logs: what a sample is drawn from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..exits import CommandError
from ..inputs import Json, Source, json_digest, read_logs
from ..records import Record
from ..scores import load_run


@dataclass(frozen=True)
class JudgedLog:
    """A log and what the judge said of it."""

    record: Record
    log: Json

    @property
    def digest(self) -> str:
        """16 hex digits over the log that was sent to be judged."""
        return self.record.digest or json_digest(self.log)

    def score(self, factors: Sequence[str]) -> float | None:
        """The mean over these factors, each put on 0-1; None where none of them has a score."""
        shares = [
            (verdict["score"] - verdict["scale"]["min"]) / (verdict["scale"]["max"] - verdict["scale"]["min"])
            for verdict in self.record.verdicts
            if verdict["status"] == "scored" and (verdict["factor"] in factors)
        ]
        if not shares and self.record.debate:
            shares = [self.record.debate["overall"] / 100]
        return sum(shares) / len(shares) if shares else None


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
        for one in [replace(record, system=_run_name(record, path)) if record.system in shared else record]
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
            told = "conversations need ids of their own, or systems that differ"
            raise CommandError(f"{path} holds {record.conversation!r} again: {told}.")
    return list(found.values())


def _run_name(record: Record, path: str) -> str:
    return f"{record.system} ({path})" if record.system else path


def with_logs(records: Sequence[Record], paths: Sequence[str]) -> list[JudgedLog]:
    """Each record with its log: out of its own answer where a session was simulated, else from the logs in `paths`,
    by content. Raises CommandError for a record whose log is not there."""
    sources = list(_sources(paths))
    by_content = {source.digest: source.log for source in sources}
    by_name = {(source.conversation, source.system): source.log for source in sources}
    return [JudgedLog(record, _log_of(record, by_content, by_name)) for record in records]


def _sources(paths: Sequence[str]) -> Iterator[Source]:
    for path in paths:  # one by one: two systems' files hold the same ids
        yield from read_logs([path])[0]


def _log_of(
    record: Record, by_content: Mapping[str, Json], by_name: Mapping[tuple[str, str | None], Json]
) -> Json:
    if isinstance(own := (record.answer or {}).get("log"), dict):
        return own
    if record.digest is not None and record.digest in by_content:
        return by_content[record.digest]
    log = by_name.get((record.conversation, record.system))
    if log is None:
        told = "give the logs that were judged: --logs LOGS"
        raise CommandError(f"There is no log of {record.conversation!r}; {told}.")
    if record.digest is not None:
        raise CommandError(
            f"The log of {record.conversation!r} is not the one that was judged; score it again, or give the logs that were."
        )
    return log
