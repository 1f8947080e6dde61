"""Measure the embedded judge against people, and count what it can assess.

    .venv/bin/python research/measure_builtin.py --data FOLDER [--write | --check]

FOLDER holds `crsarena_eval.dev.jsonl` (labelled conversations), `concept_<half>.sample.jsonl` (conversations with lists),
`catalog.<half>.jsonl` and `inspired.jsonl` (people's talk). Labels never reach the judge. `--write` puts the tables into `docs/embedded-judge.md` between its marks,
`--check` fails if they differ from what stands there. Without the data it says so and does nothing.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from research.measure_grammar import grammar_section
from research.rated_logs import HALVES, Pairs, catalogue, read_lines, to_log
from service.catalogue.catalogue import Catalogue
from service.domain.completion import Call
from service.domain.conversation import ConversationLog
from service.domain.rubric import Factor, Protocol
from service.domain.verdict import Failed, Scored, Verdict
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.embedded.rules.replies import MISSED
from service.judges.inquiry import Case, Inquiry

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "embedded-judge.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
#: Outputs of the judge, each with the label of a dialogue that it is compared with.
OUTPUTS = (
    ("dialogue_overall", "mean of the assessed factors", "mean"),
    ("dialogue_overall", "mean of `coherence`'s turns", "turns"),
    ("understanding", "`coherence`", "coherence"),
    ("understanding", "mean of `coherence`'s turns", "turns"),
    ("preference_elicitation", "`proactiveness`", "proactiveness"),
    ("explanation", "`explainability`", "explainability"),
    ("task_completion", "`effectiveness`", "effectiveness"),
    ("task_completion", "mean of `coherence`'s turns", "turns"),
    ("interest_arousal", "mean of the assessed factors", "mean"),
    ("efficiency", "mean of `coherence`'s turns", "turns"),
)
#: The same for labels of single replies: the factor whose `turns` are compared.
TURN_OUTPUTS = (
    ("relevance", "coherence"),
    ("interestingness", "coherence"),
    ("interestingness", "proactiveness"),
)


async def judge(
    logs: Iterable[tuple[ConversationLog, Catalogue | None]], factors: Sequence[Factor]
) -> list[dict[str, Verdict]]:
    """Every log's verdicts by factor."""
    judging = EmbeddedJudge()
    found = []
    for log, items in logs:
        inquiry = Inquiry(Case(log, items), tuple(factors))
        found.append({verdict.factor: verdict async for verdict in judging.ask(inquiry, Call())})
    return found


def outputs(verdicts: Mapping[str, Verdict]) -> dict[str, float]:
    """Return what is set against labels: scores by factor, their mean, the mean over coherence's turns."""
    scores = {slug: verdict.score for slug, verdict in verdicts.items() if isinstance(verdict, Scored)}
    found = dict(scores)
    if scores:
        found["mean"] = statistics.fmean(scores.values())
    coherence = verdicts.get("coherence")
    if isinstance(coherence, Scored) and coherence.turns:
        found["turns"] = statistics.fmean(turn.score for turn in coherence.turns)
    return found


def against_people(
    records: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Verdict]]
) -> dict[tuple[str, str], Pairs]:
    """Pairs by label and output."""
    pairs: dict[tuple[str, str], Pairs] = defaultdict(Pairs)
    for record, found in zip(records, verdicts, strict=True):
        values = outputs(found)
        for label, name, key in OUTPUTS:
            human = record["human"]["dialogue"].get(label)
            if human is not None and key in values:
                pairs[label, name].add(human, values[key], record["system"])
        for label, factor in TURN_OUTPUTS:
            verdict = found.get(factor)
            for turn in (verdict.turns or ()) if isinstance(verdict, Scored) else ():
                people = record["human"]["turns"][turn.message] or {}
                if people.get(label) is not None:
                    pairs[f"turn {label}", f"`{factor}`'s turns"].add(
                        people[label], turn.score, record["system"]
                    )
    return pairs


def families(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The families of systems: what stands before the half in a system's name."""
    return sorted({record["system"].split("_")[0] for record in records})


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".replace("-0.", "-.").lstrip("0") or "0"


def table(pairs: Mapping[tuple[str, str], Pairs], names: Sequence[str]) -> list[str]:
    """A row for each label and output: halves, within system, every family."""
    lines = [
        "| label | output | ReDial half | OpenDialKG half | within system | n | " + " | ".join(names) + " |",
        "| --- | --- | " + " | ".join(["---"] * (4 + len(names))) + " |",
    ]
    order = [(label, name) for label, name, _ in OUTPUTS] + [
        (f"turn {label}", f"`{factor}`'s turns") for label, factor in TURN_OUTPUTS
    ]
    for key in order:
        if key not in pairs:
            continue
        row = pairs[key]
        figures = [row.of(half).pearson for half in HALVES] + [row.within]
        lines.append(
            f"| {key[0]} | {key[1]} | "
            + " | ".join(
                [
                    *map(_figure, figures),
                    str(len(row.label)),
                    *(_figure(row.of(name).within) for name in names),
                ]
            )
            + " |"
        )
    return lines


def coverage(
    name: str, records: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Verdict]], least: int
) -> tuple[str, list[str]]:
    """A row of the coverage table, and what falls short of the least number of factors."""
    counts = [sum(isinstance(verdict, Scored) for verdict in found.values()) for found in verdicts]
    failed = sum(isinstance(verdict, Failed) for found in verdicts for verdict in found.values())
    short = [
        f"{record['id']}: {count} factors"
        for record, count in zip(records, counts, strict=True)
        if count < least
    ]
    spread = ", ".join(f"{number} in {times}" for number, times in sorted(Counter(counts).items()))
    return f"| {name} | {len(records)} | {least} | {spread} | {failed} |", short + (
        ["some verdicts failed"] if failed else []
    )


def recommending(verdicts: Mapping[str, Verdict]) -> bool:
    """Return whether the judge itself saw a recommendation: then explainability must be assessed."""
    return isinstance(verdicts["explainability"], Scored)


def _length_of_labels(records: Sequence[Mapping[str, Any]]) -> float | None:
    pairs = Pairs()
    for record in records:
        replies = [
            len(message["content"]) for message in record["messages"] if message["role"] == "assistant"
        ]
        pairs.add(
            statistics.fmean(replies), record["human"]["dialogue"]["dialogue_overall"], record["system"]
        )
    return pairs.pearson


def lengths(logs: Sequence[ConversationLog], verdicts: Sequence[Mapping[str, Verdict]]) -> list[str]:
    """A row for each factor: how its score goes with the mean length of the replies."""
    lines = ["| factor | all systems | within system | n |", "| --- | --- | --- | --- |"]
    pairs: dict[str, Pairs] = defaultdict(Pairs)
    for log, found in zip(logs, verdicts, strict=True):
        length = statistics.fmean(len(log.messages[index].content) for index in log.replies)
        for slug, verdict in found.items():
            if isinstance(verdict, Scored):
                pairs[slug].add(length, verdict.score, str(log.system))
    return [
        *lines,
        *(
            f"| {slug} | {_figure(row.pearson)} | {_figure(row.within)} | {len(row.label)} |"
            for slug, row in pairs.items()
        ),
    ]


def fluent(records: Sequence[Mapping[str, Any]], verdicts: Sequence[Mapping[str, Verdict]]) -> list[str]:
    """Return what the judge says of people who recommend to people, against their overall satisfaction."""
    pairs: dict[str, Pairs] = defaultdict(Pairs)
    missed = total = 0
    for record, found in zip(records, verdicts, strict=True):
        overall = statistics.fmean(record["human"]["overall"])
        values = outputs(found)
        for key in ("mean", "turns", "coherence", "effectiveness"):
            if key in values:
                pairs[key].add(overall, values[key], record["system"])
        coherence = found["coherence"]
        for turn in (coherence.turns or ()) if isinstance(coherence, Scored) else ():
            total += 1
            missed += turn.score < MISSED
    return [
        f"Overall satisfaction in {len(records)} dialogues of two people: Pearson's r with the mean of the assessed factors is "
        f"{_figure(pairs['mean'].pearson)}. It is {_figure(pairs['coherence'].pearson)} with `coherence`, {_figure(pairs['turns'].pearson)} with the "
        f"mean of its turns, {_figure(pairs['effectiveness'].pearson)} with `effectiveness`. The last rests in part on "
        f"satisfaction learned from these users' single messages and is no held-out figure. Of the human recommenders' messages {100 * missed / total:.0f} % stand in a reply that the "
        "judge counts as missing the user's intent. By a look at a sample most of these are false alarms.",
    ]


async def measure(data: Path) -> tuple[list[str], list[str]]:
    """The lines of the measured part, and what falls short."""
    factors = load_factors().of(Protocol.CORE)
    shelves = {half: catalogue(data / f"catalog.{half}.jsonl") for half in HALVES}
    people = read_lines(data / "crsarena_eval.dev.jsonl")
    names = families(people)
    logs = [to_log(record) for record in people]
    await judge([(log, None) for log in logs], factors)  # loads what is loaded at first use
    start = time.process_time()
    bare = await judge([(log, None) for log in logs], factors)
    spent = time.process_time() - start
    print(f"{len(logs) / spent:.0f} conversations a second, no catalogue", file=sys.stderr)
    shelved = await judge([(log, shelves[str(log.system).split("_")[1]]) for log in logs], factors)
    people_talk = data / "uss_redial.dev.jsonl"
    human = read_lines(people_talk) if people_talk.exists() else []
    humans = await judge([(to_log(record), None) for record in human], factors)
    row, short = coverage("labelled conversations, no catalogue, no lists", people, bare, 6)
    rows = [row]
    for half in HALVES:
        records = read_lines(data / f"concept_{half}.sample.jsonl")
        start = time.process_time()
        found = await judge([(to_log(record), shelves[half]) for record in records], factors)
        print(
            f"{len(records) / (time.process_time() - start):.0f} conversations a second, {half} lists and catalogue",
            file=sys.stderr,
        )
        row, missing = coverage(
            f"simulated conversations with lists and catalogue, {half}", records, found, 10
        )
        rows.append(row)
        short += missing
    short += [f"{r['id']}: recommends, but under 7" for r, v in zip(people, bare, strict=True)
              if recommending(v) and sum(isinstance(x, Scored) for x in v.values()) < 7]  # fmt: skip
    lines = [
        "### Agreement with people",
        "",
        f"Pearson correlation with people's labels on {len(people)} conversations of nine systems ({', '.join(names)}). The columns of"
        " families, like *within system*, are correlations after each system's mean was taken off, since knowing which system"
        " talks already tells much. The rules were refined by reading these very conversations: expect somewhat less on others. `proactiveness`'s turns rest on weights fitted"
        " to these very labels of replies: above stands what they reach on families held out.",
        "",
        "With the catalogue of the half:",
        "",
        *table(against_people(people, shelved), names),
        "",
        "Without a catalogue:",
        "",
        *table(against_people(people, bare), names),
        "",
        "### Length",
        "",
        "Pearson of each factor's score with the mean length of the replies, without a catalogue. People's overall label goes with"
        f" length at {_figure(_length_of_labels(people))} over all systems.",
        "",
        *lengths(logs, bare),
        "",
        *(["### Fluent talk", "", *fluent(human, humans), ""] if human else []),
        *([*await grammar_section(data), ""] if (data / "inspired.jsonl").exists() else []),
        "### Coverage",
        "",
        "| conversations | n | at least | factors scored | failed |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    ]
    return lines, short


def main() -> int:
    """Measure, print, write or check; 0 where all is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.data / "crsarena_eval.dev.jsonl").exists():
        print(f"{options.data} does not hold the labelled conversations: nothing was measured.")
        return 0
    lines, short = asyncio.run(measure(options.data))
    text = "\n".join(lines)
    print(text)
    before = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.exists() else f"{BEGIN}\n{END}\n"
    head, _, rest = before.partition(BEGIN)
    tail = rest.partition(END)[2]
    after = f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}"
    if options.write:
        DOCUMENT.write_text(after, encoding="utf-8")
    for problem in short:
        print(f"falls short: {problem}", file=sys.stderr)
    if options.check and after != before:
        print(f"{DOCUMENT.name} is not what was measured: run with --write", file=sys.stderr)
        return 1
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
