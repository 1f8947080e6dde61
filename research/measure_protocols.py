"""Measure the embedded judge on the factors of CONCEPT, PEPPER and iEvaLM, where there is anything to measure by.

    .venv/bin/python -m research.measure_protocols --data FOLDER [--write | --check]

FOLDER is that of `research/measure_builtin.py`; `inspired.jsonl` and `uss_redial.dev.jsonl` are used where they are there. The
first has people who recommend, each utterance with its strategy. The second has people too, each user message with marks of
satisfaction. Nobody labelled these very factors: the tool says what each goes with that people did label, and what it
distinguishes. `--write` puts the tables into `docs/protocol-factors.md` between its marks, `--check` fails if they differ."""

import argparse
import asyncio
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from research.rated_logs import HALVES, Pairs, catalogue, read_lines, to_log
from research.report_system import CRS, Example, example_dialogue, users
from service.catalogue.catalogue import Catalogue, load_catalogues
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role, User
from service.domain.rubric import Factor, Protocol
from service.domain.verdict import Failed, NotAssessable, Scored, Verdict
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.embedded.observations.wording import manners
from service.judges.inquiry import Case, Inquiry
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.session import converse, finish

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "protocol-factors.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
OTHERS = tuple(factor for factor in load_factors().values() if factor.protocol is not Protocol.CORE)
#: Factors, each with the nearest label that people gave to a dialogue, or to a single reply.
NEAREST = (
    ("concept-manner", "understanding"),
    ("concept-response-quality", "explanation"),
    ("concept-response-quality", "interest_arousal"),
    ("concept-relevance", "understanding"),
    ("concept-relevance", "task_completion"),
    ("concept-social-awareness", "interest_arousal"),
    ("concept-persuasiveness", "explanation"),
    ("concept-persuasiveness", "interest_arousal"),
    ("concept-human-likeness", "dialogue_overall"),
    ("concept-overall", "dialogue_overall"),
    ("pepper-proactiveness", "preference_elicitation"),
    ("pepper-coherence", "understanding"),
)
OF_REPLIES = (
    ("concept-relevance", "relevance"),
    ("pepper-coherence", "relevance"),
    ("concept-response-quality", "interestingness"),
    ("pepper-proactiveness", "interestingness"),
)
#: Strategies by which people are sociable, as INSPIRED sorts them.
SOCIABLE = ("acknowledgment", "encouragement", "personal_experience", "personal_opinion", "rephrase_preference",
            "self_modeling", "similarity")  # fmt: skip
APART = ("concept-human-likeness", "concept-social-awareness", "concept-manner")

Verdicts = Mapping[str, Verdict]


async def judge(cases: Sequence[tuple[ConversationLog, Catalogue | None]]) -> list[Verdicts]:
    """Every log's verdicts by factor; the whole is asked last, the scores of the others in hand."""
    judging = EmbeddedJudge()
    found: list[Verdicts] = []
    for log, items in cases:
        first = [v async for v in judging.ask(Inquiry(Case(log, items), _but_overall()), Call())]
        again = Inquiry(Case(log, items), _overall(), verdicts=tuple(first))
        found.append({v.factor: v for v in [*first, *[v async for v in judging.ask(again, Call())]]})
    return found


def _but_overall() -> tuple[Factor, ...]:
    return tuple(factor for factor in OTHERS if factor.slug != "concept-overall")


def _overall() -> tuple[Factor, ...]:
    return tuple(factor for factor in OTHERS if factor.slug == "concept-overall")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".replace("-0.", "-.").lstrip("0") or "0"


def _score(found: Verdicts, slug: str) -> float | None:
    verdict = found[slug]
    return verdict.score if isinstance(verdict, Scored) else None


def against_labels(people: Sequence[Mapping[str, Any]], verdicts: Sequence[Verdicts]) -> list[str]:
    """A row for each factor and label."""
    rows = [
        "| factor | label | ReDial half | OpenDialKG half | within system | n |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for slug, label in NEAREST:
        pairs = Pairs()
        for record, found in zip(people, verdicts, strict=True):
            human, score = record["human"]["dialogue"].get(label), _score(found, slug)
            if human is not None and score is not None:
                pairs.add(human, score, record["system"])
        rows.append(_row(slug, label, pairs))
    for slug, label in OF_REPLIES:
        pairs = Pairs()
        for record, found in zip(people, verdicts, strict=True):
            verdict = found[slug]
            for turn in (verdict.turns or ()) if isinstance(verdict, Scored) else ():
                marks = record["human"]["turns"][turn.message] or {}
                if marks.get(label) is not None:
                    pairs.add(marks[label], turn.score, record["system"])
        rows.append(_row(f"{slug}, `turns`", f"{label} of single replies", pairs))
    return rows


def _row(slug: str, label: str, pairs: Pairs) -> str:
    halves = " | ".join(_figure(pairs.of(half).pearson) for half in HALVES)
    return f"| {slug} | {label} | {halves} | {_figure(pairs.within)} | {len(pairs.label)} |"


def apart(machines: Mapping[str, Sequence[Verdicts]], people: Sequence[Verdicts]) -> list[str]:
    """Return how often a conversation with a person scores above one with a machine."""
    rows = ["| factor | " + " | ".join(machines) + " |", "| --- |" + " --- |" * len(machines)]
    for slug in APART:
        human = _scores(people, slug)
        cells = [_figure(_above(human, _scores(found, slug))) for found in machines.values()]
        rows.append(f"| {slug} | " + " | ".join(cells) + " |")
    return rows


def _scores(verdicts: Sequence[Verdicts], slug: str) -> list[float]:
    return [score for found in verdicts if (score := _score(found, slug)) is not None]


def _above(first: Sequence[float], second: Sequence[float]) -> float:
    wins = sum((a > b) + 0.5 * (a == b) for a in first for b in second)
    return wins / (len(first) * len(second))


def strategies(dialogues: Sequence[Mapping[str, Any]]) -> str:
    """Return how the words of care go with the strategies that annotators saw."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for dialogue in dialogues:
        for said in dialogue["utterances"]:
            if said["role"] == "assistant":
                found = manners.find_care(said["content"])
                attends = found is not None and found.kind in manners.ATTENTIVE
                counts[said["strategy"] in SOCIABLE, attends] += 1
    sociable, other = counts[True, True] + counts[True, False], counts[False, True] + counts[False, False]
    return (
        f"Annotators call {sociable} utterances of human recommenders sociable ({', '.join(SOCIABLE)}). The words of care find "
        f"{100 * counts[True, True] / sociable:.0f} % of them, and take {100 * counts[False, True] / other:.0f} % of the {other} others for such. Of "
        f"all that they find {100 * counts[True, True] / (counts[True, True] + counts[False, True]):.0f} % are sociable. The word lists were "
        "mended by reading a sample of these very utterances."
    )


def satisfaction(dialogues: Sequence[Mapping[str, Any]]) -> str:
    """Return how content the users' messages sound, against the marks of satisfaction that they got."""
    pairs = Pairs()
    told = total = 0
    for record in dialogues:
        for message, marks in zip(record["messages"], record["human"]["turns"], strict=True):
            given = (marks or {}).get("satisfaction") if isinstance(marks, dict) else marks
            if message["role"] == "user" and given:
                total += 1
                felt = manners.contentment(message["content"])
                if felt is not None:
                    told += 1
                    pairs.add(statistics.fmean(given), felt, "uss")
    return (
        f"No data at hand hold notes of feelings. On {total} messages of users, which are no such notes, the words of feeling apply to "
        f"{100 * told / total:.0f} %. On those they correlate with people's marks of satisfaction at {_figure(pairs.pearson)}."
    )


def simulated(
    records: Mapping[str, Sequence[Mapping[str, Any]]], verdicts: Mapping[str, Sequence[Verdicts]]
) -> list[str]:
    """Means by system, and how each factor goes with acceptance, over CONCEPT's sessions."""
    systems = sorted({record["system"].split("_")[0] for rows in records.values() for record in rows})
    lines = ["| factor | " + " | ".join(systems) + " | with acceptance | within system | n |",
             "| --- |" + " --- |" * (len(systems) + 3)]  # fmt: skip
    for factor in OTHERS:
        pairs, by_system = Pairs(), defaultdict(list)
        for half, rows in records.items():
            for record, found in zip(rows, verdicts[half], strict=True):
                score = _score(found, factor.slug)
                if score is not None:
                    pairs.add(float(record["outcome"]["accepted"]), score, record["system"])
                    by_system[record["system"].split("_")[0]].append(score)
        if pairs.label:
            means = " | ".join(f"{statistics.fmean(by_system[name]):.1f}" for name in systems)
            lines.append(
                f"| {factor.slug} | {means} | {_figure(pairs.pearson)} | {_figure(pairs.within)} | {len(pairs.label)} |"
            )
    return lines


async def scripted() -> str:
    """Satisfaction by noted feelings against the satisfaction that scripted users end with."""
    dialogue, films = example_dialogue(), load_catalogues(CRS)["films"]
    factor = tuple(factor for factor in OTHERS if factor.slug == "concept-user-satisfaction")
    pairs = Pairs()
    for weakness in ((), ("oversells",), ("repeats-itself",), ("ignores-rejections",)):
        for number, user in enumerate(users(films)):
            simulator = Simulator(Scripted(seed=number, catalogue=films))
            start = ConversationLog(messages=(), user=user)
            ended = await finish(converse(simulator, Example(dialogue, weakness), start, Call()))
            answers = [v async for v in EmbeddedJudge().ask(Inquiry(Case(ended.log, films), factor), Call())]
            own = ended.last.satisfaction if ended.last else None
            for answer in answers:
                if isinstance(answer, Scored) and own is not None:
                    pairs.add(own, answer.score, "example")
    return (
        f"Scripted users had {len(pairs.label)} sessions with the example recommender and three weak variants. `concept-user-satisfaction` goes with the"
        f" satisfaction that the user ends with at {_figure(pairs.pearson)}. That is a check of the machinery, since both follow rules, and the word lists were mended by"
        " these users' phrases."
    )


async def personal(records: Sequence[Mapping[str, Any]], items: Catalogue) -> tuple[float, float]:
    """The mean of personalization with a narrative of each user's own wishes, and with the next user's."""
    factor = tuple(factor for factor in OTHERS if factor.slug == "pepper-personalization")
    means = []
    for shift in (0, 1):
        scores = []
        for place, record in enumerate(records):
            wishes = records[(place + shift * 17) % len(records)]["user"]["attributes"]
            likes = User(preferences=f"You like {', '.join(wishes)}.")
            log = replace(to_log(record), user=likes)
            answers = [v async for v in EmbeddedJudge().ask(Inquiry(Case(log, items), factor), Call())]
            scores += [answer.score for answer in answers if isinstance(answer, Scored)]
        means.append(statistics.fmean(scores))
    return means[0], means[1]


def lengths(people: Sequence[Mapping[str, Any]], verdicts: Sequence[Verdicts]) -> list[str]:
    """A row for each factor: how its score goes with the mean length of the replies."""
    rows = ["| factor | all systems | within system |", "| --- | --- | --- |"]
    for factor in OTHERS:
        pairs = Pairs()
        for record, found in zip(people, verdicts, strict=True):
            replies = [len(m["content"]) for m in record["messages"] if m["role"] == "assistant"]
            score = _score(found, factor.slug)
            if score is not None:
                pairs.add(statistics.fmean(replies), score, record["system"])
        if pairs.label:
            rows.append(f"| {factor.slug} | {_figure(pairs.pearson)} | {_figure(pairs.within)} |")
    return rows


def as_log(dialogue: Mapping[str, Any]) -> ConversationLog:
    """A dialogue of INSPIRED, its strategies left behind."""
    messages = tuple(Message(Role(said["role"]), said["content"]) for said in dialogue["utterances"])
    return ConversationLog(messages, id=dialogue["id"], system="people")


async def measure(data: Path) -> list[str]:
    """The lines of the measured part."""
    shelves = {half: catalogue(data / f"catalog.{half}.jsonl") for half in HALVES}
    people = read_lines(data / "crsarena_eval.dev.jsonl")
    judged = await judge([(to_log(record), shelves[record["system"].split("_")[1]]) for record in people])
    lines = [
        "### Beside people's labels",
        "",
        f"Pearson with the nearest labels on {len(people)} conversations of nine systems, with the catalogue of the half. *Within system*"
        " is taken after each system's mean. None of the labels asks what the factor asks.",
        "",
        *against_labels(people, judged),
        "",
    ]
    inspired = read_lines(data / "inspired.jsonl") if (data / "inspired.jsonl").exists() else []
    if inspired:
        human = await judge([(as_log(dialogue), None) for dialogue in inspired])
        machines: dict[str, list[Verdicts]] = defaultdict(list)
        for record, found in zip(people, judged, strict=True):
            machines[record["system"].split("_")[0]].append(found)
        lines += [
            "### People and machines distinguished",
            "",
            f"How often one of {len(human)} conversations in which a person recommends scores above one with a machine (.5: not distinguished;"
            " ties half). The two come from different collections, so that part of it may be the collection's.",
            "",
            *apart(dict(sorted(machines.items())), human),
            "",
            "### Care and feelings",
            "",
            strategies(inspired),
            "",
        ]
    if (data / "uss_redial.dev.jsonl").exists():
        lines += [satisfaction(read_lines(data / "uss_redial.dev.jsonl")), ""]
    lines += [await scripted(), ""]
    records = {half: read_lines(data / f"concept_{half}.sample.jsonl") for half in HALVES}
    by_half: dict[str, list[Verdicts]] = {}
    for half, rows in records.items():
        by_half[half] = await judge([(to_log(record), shelves[half]) for record in rows])
    failed = sum(isinstance(v, Failed) for rows in by_half.values() for row in rows for v in row.values())
    gaps = Counter(
        v.code
        for rows in by_half.values()
        for row in rows
        for v in row.values()
        if isinstance(v, NotAssessable)
    )
    own, others = await personal(records["redial"], shelves["redial"])
    lines += [
        "### CONCEPT's simulated sessions",
        "",
        f"Means over {sum(map(len, records.values()))} sessions by system, and Pearson with acceptance by the simulated user. A user accepts what it is"
        f" told, so this is no label of quality. Failed verdicts: {failed}; not assessable: {', '.join(f'{code} {n}' for code, n in sorted(gaps.items()))}.",
        "",
        *simulated(records, by_half),
        "",
        f"Personalization with a narrative made of each user's own wishes: {own:.2f} on the mean; with another user's: {others:.2f} (ReDial half,"
        f" {len(records['redial'])} sessions).",
        "",
        "### Length",
        "",
        "Pearson of each score with the mean length of the replies on the labelled conversations.",
        "",
        *lengths(people, judged),
    ]
    return lines


def main() -> int:
    """Measure, print, write or check; 0 where all is as it should be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.data / "crsarena_eval.dev.jsonl").exists():
        print(f"{options.data} does not hold the labelled conversations: nothing was measured.")
        return 0
    text = "\n".join(asyncio.run(measure(options.data)))
    print(text)
    before = DOCUMENT.read_text(encoding="utf-8")
    head, _, rest = before.partition(BEGIN)
    after = f"{head}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}"
    if options.write:
        DOCUMENT.write_text(after, encoding="utf-8")
    if options.check and after != before:
        print(f"{DOCUMENT.name} is not what was measured: run with --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
