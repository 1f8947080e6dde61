"""Find faults of a request for metrics, with JSON pointers into its body."""

from collections.abc import Iterable, Iterator, Sequence

from ..domain.conversation import ConversationLog
from ..domain.nearest import nearest
from ..domain.verdict import Verdict
from ..errors import FieldError, InvalidRequest
from .reading import Reading


def check_names(
    metrics: Sequence[str] | None,
    known: Iterable[str],
    group_by: Sequence[str],
    labels: Iterable[str],
    spread_over: Sequence[str] = (),
) -> None:
    """Raises InvalidRequest for a metric or a label that does not exist."""
    errors = [
        *_unknown("/metrics", "metric", metrics or (), list(known)),
        *_unknown("/group_by", "group", group_by, list(labels)),
        *_unknown("/spread_over", "group", spread_over, list(labels)),
    ]
    if errors:
        raise InvalidRequest("The request names what does not exist.", errors=errors)


def check_cuts(k: Sequence[int] | None, turns: Sequence[int] | None) -> None:
    """Raises InvalidRequest for a cut that leaves nothing."""
    errors = [*_too_small("/k", k or ()), *_too_small("/turns", turns or ())]
    if errors:
        raise InvalidRequest("A cut leaves nothing to measure.", errors=errors)


def check_verdicts(logs: Sequence[ConversationLog], verdicts: Sequence[Sequence[Verdict]]) -> None:
    """Raises InvalidRequest for verdicts that do not go with the logs."""
    if verdicts and len(verdicts) != len(logs):
        detail = f"{len(verdicts)} lists of verdicts for {len(logs)} logs"
        raise InvalidRequest.at("/verdicts", detail, "send one list for each log, in their order")


def check_targets(logs: Sequence[ConversationLog]) -> None:
    """PEPPER section 4.2: coverage of no target at all is bad input, not zero. Raises InvalidRequest
    for logs whose `ground_truth` is an empty list."""
    errors = [
        FieldError(
            f"/logs/{index}/ground_truth",
            "an empty set of wanted items cannot be covered",
            "name the wanted items, leave the field out, or ask for metrics without coverage",
        )
        for index, log in enumerate(logs)
        if log.ground_truth is not None and not log.ground_truth
    ]
    if errors:
        raise InvalidRequest("Preference coverage needs wanted items.", errors=errors)


def check_found_targets(readings: Sequence[Reading]) -> None:
    """The same for attributes that no item of a catalogue covers."""
    errors = [
        FieldError(
            f"/logs/{index}/user/attributes",
            "no item of the catalogue has them all, so no item is wanted",
            "correct the attributes, give ground_truth, or name another catalog",
        )
        for index, reading in enumerate(readings)
        if reading.log.ground_truth is None and reading.log.user is not None and reading.log.user.attributes
        if reading.stocked and not reading.wanted
    ]
    if errors:
        raise InvalidRequest("Preference coverage needs wanted items.", errors=errors)


def _unknown(pointer: str, what: str, names: Sequence[str], known: Sequence[str]) -> Iterator[FieldError]:
    for index, name in enumerate(names):
        if name not in known:
            near = nearest(name, known)
            fix = f"did you mean {near!r}?" if near else f"choose from {', '.join(known)}"
            yield FieldError(f"{pointer}/{index}", f"{name!r} is no {what}", fix)


def _too_small(pointer: str, numbers: Sequence[int]) -> Iterator[FieldError]:
    for index, number in enumerate(numbers):
        if number < 1:
            yield FieldError(f"{pointer}/{index}", f"{number} cuts everything off", "send 1 or more")
