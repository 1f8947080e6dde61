"""Measure how well the embedded judge agrees with people on every family of labelled conversations in a
folder.

    python -m research.families --data FOLDER

Reads each `.jsonl` file whose lines hold `messages` and `human`, in the forms of `research.labelled`. A family is a file;
the systems of CRSArena-Eval are several (`benchmarks/agreement/families.json`). Catalogues are not given. Prints, in Markdown,

- validity: Pearson's r of the judge's outputs with people's labels, over all pairs and within systems;
- belonging: AUC of real replies against replies of other conversations with the same system, by the head that ships;
- confidence: the mean error of the less and of the more confident half, in standard deviations of people's label.

Nothing is trained and nothing is left out: on conversations that the product learned from the figures are hopeful."""

import argparse
import asyncio
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.progress import track

from research.encoder.conversations import Talk
from research.encoder.fitting import shipped_area
from research.labelled import Labelled, outputs, read_labelled
from research.rated_logs import Pairs, pearson, to_log
from research.train_judge.marked import families
from service.debate.embedded import EmbeddedDebater
from service.debate.roles import default_roles, load_roles
from service.debate.rounds import Terms, settle
from service.debate.statement import Matter, Seat
from service.domain.completion import Call
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.inquiry import Case, Inquiry

OVERALL, ALL_LABELS = "dialogue_overall", "mean of people's labels"
FACTORS = load_factors()
CORE = tuple(FACTORS.of(Protocol.CORE))
#: Fewer pairs tell nothing of confidence.
LEAST = 20
Answer = Mapping[str, Any]


def labelled_families(folder: Path) -> dict[str, list[Labelled]]:
    """Return the labelled logs of a folder by family."""
    known, found = families(), dict[str, list[Labelled]]()
    for path in sorted(folder.glob("*.jsonl")):
        if '"human"' in path.open(encoding="utf-8").readline():
            for one in read_labelled(path):
                part = known.get(one.system)
                name = path.stem.partition(".")[0]
                found.setdefault(f"{name}, {part}" if part else name, []).append(one)
    return found


async def answer(judge: EmbeddedJudge, one: Labelled) -> Answer:
    """Return the judge's scores, scores of turns and confidences of one log, with the debate."""
    case = Case(to_log({**one.log, "system": one.system}))
    verdicts = [verdict async for verdict in judge.ask(Inquiry(case, CORE), Call())]
    seats = [Seat(role, EmbeddedDebater()) for role in default_roles(load_roles(FACTORS))]
    debate = await settle(Matter.of(case, verdicts, FACTORS), seats, Terms(), Call())
    scored = [verdict for verdict in verdicts if isinstance(verdict, Scored)]
    sure = {v.factor: v.confidence for v in scored if v.confidence is not None}
    mean = statistics.fmean(v.score for v in scored) if scored else None
    return {
        "scores": {**{v.factor: v.score for v in scored}, "mean": mean, "debate": debate.overall},
        "turns": {v.factor: {str(t.message): t.score for t in v.turns} for v in scored if v.turns},
        "confidence": {**sure, "debate": statistics.fmean(sure.values()) if sure else None},
    }


def compared(logs: Sequence[Labelled], answers: Mapping[str, Answer]) -> dict[tuple[str, str], Pairs]:
    """Return people's labels and the judge's outputs, by label and output."""
    found: dict[tuple[str, str], Pairs] = {}
    for one in logs:
        for label, output, turn, score in outputs(one, answers[one.name]):
            given = one.dialogue.get(label) if turn is None else one.turns[label].get(turn)
            if given:
                pairs = found.setdefault((label if turn is None else f"turn {label}", output), Pairs())
                pairs.add(statistics.fmean(given.values()), score, one.system)
        if OVERALL not in one.dialogue and one.dialogue:
            for output in ("debate", "mean"):
                if (told := answers[one.name]["scores"][output]) is not None:
                    found.setdefault((ALL_LABELS, output), Pairs()).add(_people(one), told, one.system)
    return found


def _people(one: Labelled) -> float:
    """The label of the whole conversation, else the mean of all its labels."""
    chosen = [one.dialogue[OVERALL]] if OVERALL in one.dialogue else [*one.dialogue.values()]
    return statistics.fmean(statistics.fmean(by_rater.values()) for by_rater in chosen)


def errors(logs: Sequence[Labelled], answers: Mapping[str, Answer]) -> tuple[list[float], list[float]]:
    """Return the confidence of each debate and its error: the distance of score and label, both brought to the family's
    mean and spread."""
    known = [
        (answers[one.name]["confidence"]["debate"], answers[one.name]["scores"]["debate"], _people(one))
        for one in logs
        if one.dialogue
    ]
    known = [row for row in known if None not in row]
    if len(known) < LEAST:
        return [], []
    sure, told, given = (list(column) for column in zip(*known, strict=True))
    return sure, [abs(a - b) for a, b in zip(_standard(told), _standard(given), strict=True)]


def _standard(values: Sequence[float]) -> list[float]:
    mean, spread = statistics.fmean(values), statistics.pstdev(values) or 1.0
    return [(value - mean) / spread for value in values]


def halves(sure: Sequence[float], error: Sequence[float]) -> tuple[float, float]:
    """Return the mean error of the less confident half, and of the more confident one."""
    order = sorted(range(len(sure)), key=sure.__getitem__)
    middle = len(order) // 2
    low, high = (statistics.fmean(error[i] for i in part) for part in (order[:middle], order[middle:]))
    return low, high


def talks(name: str, logs: Sequence[Labelled]) -> list[Talk]:
    """Return the logs as belonging is measured on them."""
    return [
        Talk(tuple((m["role"] == "user", m["content"]) for m in one.log["messages"]), one.system, name, True)
        for one in logs
    ]


def report(
    found: Mapping[str, Sequence[Labelled]], answers: Mapping[str, Mapping[str, Answer]]
) -> Iterator[str]:
    """Return the lines of the three tables; answers are by family and log."""
    yield from ("| family | label | output | n | Pearson | within systems |", "| --- " * 6 + "|")
    for name, logs in found.items():
        for (label, output), pairs in compared(logs, answers[name]).items():
            figures = f"{_figure(pairs.pearson)} | {_figure(pairs.within)}"
            yield f"| {name} | {label.replace('_', ' ')} | {output} | {len(pairs.label)} | {figures} |"
    yield from ("", "| family | real replies | belonging, AUC |", "| --- " * 3 + "|")
    for name, logs in found.items():
        count, area = shipped_area(talks(name, logs))
        yield f"| {name} | {count:,} | {_figure(area)} |"
    yield from (
        "",
        "| family | n | error, less confident half | more confident half | r of confidence and error |",
    )
    yield "| --- " * 5 + "|"
    for name, logs in found.items():
        sure, error = errors(logs, answers[name])
        if sure:
            low, high = halves(sure, error)
            yield f"| {name} | {len(sure)} | {low:.2f} | {high:.2f} | {_figure(pearson(sure, error))} |"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


async def answered(logs: Iterable[Labelled]) -> dict[str, Answer]:
    """Return the judge's answer to every log by the log's id."""
    judge = EmbeddedJudge()
    return {one.name: await answer(judge, one) for one in logs}


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    found = labelled_families(parser.parse_args().data)
    answers = {name: asyncio.run(answered(track(logs, name))) for name, logs in found.items()}
    print("\n".join(report(found, answers)))


if __name__ == "__main__":
    main()
