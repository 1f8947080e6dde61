"""Two judges side by side on the same pairs, with McNemar's exact test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..faults.fault import Fault
from ..statistics.permutation import exact_mcnemar
from .report import ExamPart, ExamReport


@dataclass(frozen=True, slots=True)
class PairedRow:
    """Counts of pairs that both judges could assess: seen by both, by one alone, by neither. `p` tests that both see as many."""

    by: ExamPart
    name: str
    n: int
    both: int
    only_first: int
    only_second: int
    p: float

    @property
    def neither(self) -> int:
        return self.n - self.both - self.only_first - self.only_second


def versus(first: ExamReport, second: ExamReport, faults: Mapping[str, Fault]) -> tuple[PairedRow, ...]:
    """Compare two judges: in all, by home factor, by fault."""
    seen = _seen(first, faults), _seen(second, faults)
    shared = {id_: fault for id_, (fault, _) in seen[0].items() if id_ in seen[1]}
    groups: dict[tuple[ExamPart, str], list[tuple[bool, bool]]] = {}
    for id_, fault in shared.items():
        for place in ((ExamPart.ALL, "all"), (ExamPart.FACTOR, faults[fault].home), (ExamPart.FAULT, fault)):
            groups.setdefault(place, []).append((seen[0][id_][1], seen[1][id_][1]))
    return tuple(_rows(groups))


def _seen(report: ExamReport, faults: Mapping[str, Fault]) -> dict[str, tuple[str, bool]]:
    return {
        one.id: (one.fault, fell)
        for one in report.outcomes
        if (fell := one.change(faults[one.fault].home).fell) is not None
    }


def _rows(groups: Mapping[tuple[ExamPart, str], list[tuple[bool, bool]]]) -> Iterator[PairedRow]:
    order = list(ExamPart)
    for (by, name), pairs in sorted(groups.items(), key=lambda one: (order.index(one[0][0]), one[0][1])):
        only_first, only_second = pairs.count((True, False)), pairs.count((False, True))
        p = exact_mcnemar(only_first, only_second)
        yield PairedRow(by, name, len(pairs), pairs.count((True, True)), only_first, only_second, p)
