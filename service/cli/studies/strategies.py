"""A method's strategies: alignment, its parts, shares and stages (Behavior Alignment, equation 2, figure 1, section 8)."""

from dataclasses import replace
from typing import Any

from ...alignment.score import Alignment, Denominator, Estimate, LeftOut, align
from ...alignment.stages import START, StageWeights, estimate, load_stage_weights
from ...alignment.strategies import ALL, StrategyName
from ..tabulating.formats import StudyTable, chart, table_of
from ..tabulating.summary import Measured, summarise
from .contexts import MethodAnswers
from .report import Findings

SAME, ANY = "same strategy", "any shared strategy"
HUMAN = "human"


def tabulate(findings: Findings, compared: MethodAnswers) -> None:
    """One method's tables and figure."""
    systems = list(compared.systems)
    numbers = [
        Measured(name, label, str(one.pair.dialogue), float(shared or False))
        for name, alignment in compared.systems.items()
        for one in alignment.pairs
        if one.left_out is None
        for label, shared in ((SAME, one.judged.aligned), (ANY, one.judged.aligned_any))
    ]
    title = f"Behavior Alignment, by {compared.by}"
    findings.tabulate(f"alignment-{compared.file}", title, numbers, [SAME, ANY], systems=systems)
    own = _own_stages(compared)
    findings.add(_parts(compared, own))
    findings.add(*_shares(compared))
    if own is not None:
        findings.add(_stages(compared, own))
    differing = [
        [name, one.reference.value, one.candidate.value, one.count]
        for name, alignment in compared.systems.items()
        for one in alignment.confusions[:10]
    ]
    title, columns = f"Commonest differences, by {compared.by}", ("system", "people", "the system", "turns")
    findings.add(StudyTable(f"differences-{compared.file}", title, columns, differing))


def _own_stages(compared: MethodAnswers) -> StageWeights | None:
    """Stage weights from what people did, turn by turn; None where no two turns with a strategy follow one another."""
    dialogues: dict[str | None, list[StrategyName]] = {}
    for one in compared.of_people:
        if (finding := one.judged.reference) and finding.uses_one:
            dialogues.setdefault(one.pair.dialogue, []).append(finding.strategy)
    return estimate(dialogues.values()) if any(len(each) > 1 for each in dialogues.values()) else None


def _parts(compared: MethodAnswers, own: StageWeights | None) -> StudyTable:
    """The score with other divisors and weights, and the pairs that are left out."""
    each = compared.systems.values()

    def again(denominator: Denominator, weights: StageWeights) -> list[Alignment]:
        return [
            align([p.pair for p in one.pairs], [p.judged for p in one.pairs], denominator, weights)
            for one in each
        ]

    paper = again(Denominator.PAPER, load_stage_weights())
    rows: list[list[Any]] = [
        ["score", *(_with_interval(one.score) for one in each)],
        ["divided as formula 2 is printed", *(_with_interval(one.score) for one in paper)],
        ["weighed by stage, INSPIRED", *(_with_interval(one.stage_weighted) for one in each)],
    ]
    if own is not None:
        ours = again(Denominator.PAIRS, own)
        rows.append(["weighed by stage, these people", *(_with_interval(one.stage_weighted) for one in ours)])
    rows.append(["pairs that count", *(one.counted for one in each)])
    for reason in LeftOut:
        label = f"left out: {reason.value.replace('_', ' ')}"
        rows.append([label, *(one.left_out[reason] for one in each)])
    title = f"Behavior Alignment in parts, by {compared.by}"
    note = "Share [95 % interval over dialogues]. Stage weights: docs/behavior-alignment.md."
    return StudyTable(f"parts-{compared.file}", title, ("part", *compared.systems), rows, note, digits=3)


def _with_interval(estimate: Estimate) -> str | None:
    if estimate.value is None:
        return None
    bounds = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{bounds.low:.3f}, {bounds.high:.3f}]" if bounds else "")


def _shares(compared: MethodAnswers) -> tuple[StudyTable, str]:
    sides = [(HUMAN, one, one.judged.reference) for one in compared.of_people]
    sides += [
        (name, one, one.judged.candidate)
        for name, alignment in compared.systems.items()
        for one in alignment.pairs
    ]
    numbers = [
        Measured(name, strategy.slug.value, str(one.pair.dialogue), float(strategy.slug is found.strategy))
        for name, one, found in sides
        if found is not None
        for strategy in ALL
    ]
    title = f"Strategies, by {compared.by} (Behavior Alignment, figure 1)"
    summary = summarise(title, numbers, [HUMAN, *compared.systems], [one.slug.value for one in ALL])
    note = (
        "Shares of turns, by the strategy that counts (standard deviation) [95 % interval over dialogues]. The paper's figure 1 "
        "is a picture: it prints no values."
    )
    sheet = table_of(f"strategies-{compared.file}", summary)
    return replace(sheet, note=note, ranks={}), chart(summary, 0, 1)  # more of one is not better


def _stages(compared: MethodAnswers, own: StageWeights) -> StudyTable:
    inspired = load_stage_weights().weights
    names = [START, *(one for one in inspired if one != START)]
    rows = [[name, own.weights.get(name), inspired[name]] for name in names]
    title = f"Stage weights, people's strategies by {compared.by} (Behavior Alignment, section 8)"
    note = (
        "1 / (entropy + e) of people's next strategy, mean 1 over their turns. Few turns give rough weights."
    )
    columns = ("after", "these people", "INSPIRED")
    return StudyTable(f"stages-{compared.file}", title, columns, rows, note, digits=3)
