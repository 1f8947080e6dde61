"""Parts of the embedded judge's own page: figures with families held out, and where it fails."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Protocol
from service.domain.verdict import Scored
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.embedded.judge import revision
from service.judges.inquiry import Case, Inquiry

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "agreement"
#: Targets by output: correlations on both halves of CRSArena-Eval, or on USS.
TARGETS: Mapping[tuple[str, str], str] = {
    ("dialogue_overall", "debate"): ".62 / .68, within .48",
    ("understanding", "coherence"): ".54 / .66",
    ("preference_elicitation", "proactiveness"): ".62 / .58",
    ("explanation", "explainability"): ".46 / .48",
    ("efficiency", "efficiency*"): ".43 / .60",
    ("task_completion", "effectiveness"): ".50 / .48",
    ("turn relevance", "coherence, turns"): ".66 / .60, within .58",
    ("turn interestingness", "proactiveness, turns"): ".64 / .60",
}
HUMAN_TARGET = ".45"
#: The outputs that an ablation is shown on.
SHOWN = (
    ("dialogue_overall", "debate"), ("understanding", "coherence"), ("explanation", "explainability"),
    ("task_completion", "effectiveness"), ("turn relevance", "coherence, turns"),
    ("turn interestingness", "proactiveness, turns"),
)  # fmt: skip
Row = Mapping[str, Any]


def held_out_lines() -> list[str]:
    """The sections of figures held out, where there are any on file, and of failures."""
    return [*_figures(), *_failures()]


def _figures() -> list[str]:
    file = FOLDER / "held-out.json"
    if not file.exists():
        return []
    report = json.loads(file.read_text(encoding="utf-8"))
    older = report["revision"] != revision()
    variants: Mapping[str, Sequence[Row]] = report["variants"]
    (first, rows), *_ = variants.items()
    systems = [row for row in rows if "redial" in row]
    families = list(systems[0]["families"])
    lines = [
        "## With families held out",
        "",
        "What the judge reaches on data that its learned parts have not seen. Each family of systems "
        "(`benchmarks/agreement/families.json`) is judged with weights learned from the other families. "
        "Each fifth of the conversations of people is judged with weights and a model of satisfaction "
        "learned from the other fifths (`python -m research.train_judge --held-out`). Catalogues were "
        "given; families are correlations within systems.\n"
        "\n"
        "**Expect less elsewhere.** The rules were refined with these conversations in view, and so "
        "were some settings:\n"
        "\n"
        "- the debate: how much single replies and two factors count (one of some 70 combinations); it "
        "gained no more than chance would give;\n"
        "- explainability's basis (one of ten); no more than chance either;\n"
        "- effectiveness without a known wanted item (one of some 300 ways). The debate gained .03 and "
        ".02, in people's talk .04 (95 % intervals -.01 to .08, -.02 to .06, .02 to .07);\n"
        "- the user's contentment in effectiveness (one of some 300 ways, twice): .02, .00 and .10, "
        "then .01, .00 and .05;\n"
        "- coherence held to its count (one of ten ways): understanding .02 and .09;\n"
        "- proactiveness (one of seven ways): preference elicitation .02 and .00.\n"
        + (
            f"\nMeasured at revision {report['revision']} of the judge, which is at {revision()} now."
            if older
            else ""
        ),
        "",
        f"| label | output | n | ReDial | OpenDialKG | within | {' | '.join(families)} | wanted |",
        f"| {' | '.join(['---'] * (7 + len(families)))} |",
    ]
    for row in systems:
        cells = [row["label"].replace("_", " "), row["output"], str(row["n"])]
        cells += [_figure(row[key]) for key in ("redial", "opendialkg", "within")]
        cells += [_figure(row["families"][name]) for name in families]
        lines.append(f"| {' | '.join([*cells, TARGETS.get((row['label'], row['output']), '')])} |")
    humans = [row for row in rows if "human" in row]
    told = ". ".join(
        f"{row['label'].replace('_', ' ')} by {row['output']} {_figure(row['human'])}".capitalize()
        for row in humans
    )
    lines += [
        "",
        f"People who recommend to people (USS, {humans[0]['n']} conversations; wanted {HUMAN_TARGET} overall). {told}.",
        *_elsewhere(rows),
    ]
    return [*lines, "", *_ablations(variants, first), ""]


def _elsewhere(rows: Sequence[Row]) -> Iterator[str]:
    for name, told in (("tasks", "Task dialogues"), ("interviews", "Interviews")):
        row = next((r for r in rows if name in r and r["output"] == "debate"), None)
        if row:
            yield f"{told} ({row['n']}): overall by the debate {_figure(row[name])}."


def _ablations(variants: Mapping[str, Sequence[Row]], first: str) -> list[str]:
    head = " | ".join(f"{label.replace('_', ' ')}, {output}" for label, output in SHOWN)
    lines = [
        "### What each group of signals brings",
        "",
        f"ReDial / OpenDialKG / within systems, families held out as above; *{first}* is the table above. People's talk: "
        "overall by the debate.",
        "",
        f"| variant | {head} | people's talk |",
        f"| {' | '.join(['---'] * (2 + len(SHOWN)))} |",
    ]
    for name, rows in variants.items():
        cells = []
        for wanted in SHOWN:
            row = next(r for r in rows if (r["label"], r["output"]) == wanted and "redial" in r)
            cells.append(" / ".join(_figure(row[key]) for key in ("redial", "opendialkg", "within")))
        human = next(r for r in rows if "human" in r and r["output"] == "debate")
        lines.append(f"| {name} | {' | '.join(cells)} | {_figure(human['human'])} |")
    return lines


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}".replace("0.", ".", 1)


def _failures() -> list[str]:
    lines = ["## Where it fails", "", "Conversations of our own, with what the judge says of them.", ""]
    for each in json.loads((FOLDER / "failures.json").read_text(encoding="utf-8")):
        verdict = asyncio.run(_verdict(each["talk"], each["factor"]))
        lines += [f"**{each['what']}**", "", *(f"> {line}  " for line in each["talk"]), ""]
        if isinstance(verdict, Scored):
            lines += [
                f"`{each['factor']}` {verdict.score:.1f}, confidence {verdict.confidence}: {verdict.rationale}",
                "",
            ]
        else:
            lines += [f"`{each['factor']}` not assessable: {getattr(verdict, 'detail', '')}.", ""]
    return lines


async def _verdict(talk: Sequence[str], slug: str) -> Any:
    messages = tuple(
        Message(Role.USER if line.startswith("U:") else Role.ASSISTANT, line[3:]) for line in talk
    )
    factors = tuple(factor for factor in load_factors().of(Protocol.CORE) if factor.slug == slug)
    inquiry = Inquiry(Case(ConversationLog(messages)), factors)
    (verdict,) = [verdict async for verdict in EmbeddedJudge().ask(inquiry, Call())]
    return verdict
