"""Metrics of a whole recommender: the example one, with and without a weakness.

    python -m research.report_system [--weakness invents-items ...] [--figure FILE.svg]
                                  [--service URL --judge NAME]

The same 48 scripted users (12 personas x 4 age groups) talk to each variant in this process; the
last message of each session is reworded and asked again, for reliability. Judged parts are the embedded judge's; with
`--service` each log is sent to its `/score`, to be judged by `--judge`."""

import argparse
import asyncio
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.sax.saxutils import escape

import httpx2
from rich.console import Console
from rich.table import Table

from service.api.wire.verdict import Verdict as WireVerdict
from service.catalogue.catalogue import Catalogue, load_catalogues
from service.domain.completion import Call
from service.domain.conversation import ConversationLog, Message, User
from service.domain.verdict import Verdict
from service.factors import load_factors
from service.judges.embedded import EmbeddedJudge
from service.judges.inquiry import Case, Inquiry
from service.metrics import MetricsReport, compute
from service.metrics.abilities import JUDGED, Ability, AbilityScore, Part
from service.metrics.reply_pairs import Reply as PairReply
from service.metrics.reply_pairs import ReplyPair
from service.simulators.kinds.paraphrase import ask_each, pairs, reword
from service.simulators.kinds.scripted import Scripted
from service.simulators.machine import Simulator
from service.simulators.phrases import persona_names
from service.simulators.recommender import Reply
from service.simulators.session import converse, finish

CRS = Path(__file__).resolve().parents[1] / "examples" / "crs"
AGES = ("children", "teens", "adults", "seniors")
WISHED = ("genre", "mood", "decade")
COLOURS = ("#1b6ca8", "#d1603d", "#3c8d5a", "#8e5aa8", "#b8860b", "#666666")
CALL = Call()


class Example:
    """The example recommender in this process."""

    def __init__(self, dialogue: ModuleType, weaknesses: Sequence[str]) -> None:
        self._recommender = dialogue.Recommender(dialogue.load_items(CRS), weaknesses)

    async def reply(self, messages: Sequence[Message]) -> Reply:
        """The next reply."""
        said = [{"role": message.role.value, "content": message.content} for message in messages]
        answer = self._recommender.reply(said)
        return Reply(answer.content, tuple(answer.recommendations))


def users(films: Catalogue) -> Iterator[User]:
    """48 users who each want three attributes that some film has together: one more than the example
    asks for before it recommends, so that overselling has its occasions."""
    wishes = [
        tuple(item.attributes[dimension][0] for dimension in WISHED)
        for item in films.items
        if all(item.attributes.get(dimension) for dimension in WISHED)
    ]
    for number, (persona, age) in enumerate((p, a) for p in persona_names() for a in AGES):
        yield User(persona=persona, age_group=age, attributes=wishes[number % len(wishes)])


async def sessions(
    name: str, recommender: Example, films: Catalogue
) -> tuple[list[ConversationLog], list[ReplyPair]]:
    """All users' sessions with one variant, and its replies to reworded messages."""
    logs, compared = [], []
    for number, user in enumerate(users(films)):
        simulator = Simulator(Scripted(seed=number, catalogue=films))
        start = ConversationLog(messages=(), system=name, user=user)
        log = (await finish(converse(simulator, recommender, start, CALL))).log
        logs.append(log)
        asked = replace(log, messages=log.messages[:3])
        wordings = await reword(asked, 2, CALL, catalogue=films, seed=number)
        texts = [wordings.message, *(wording.text for wording in wordings.wordings)]
        for first, second in pairs(await ask_each(recommender, asked, texts, CALL)):
            if first.reply and second.reply:
                compared.append(ReplyPair(_as_pair(first.reply), _as_pair(second.reply), user.attributes))
    return logs, compared


def _as_pair(reply: Reply) -> PairReply:
    return PairReply(reply.content, reply.recommendations)


async def judged_here(logs: Sequence[ConversationLog], films: Catalogue) -> list[list[Verdict]]:
    """Each log's verdicts on CONCEPT's abilities, by the embedded judge."""
    factors = load_factors()
    asked = tuple(factors[slug] for slug in sorted(set(JUDGED.values())))
    judge = EmbeddedJudge()
    return [[v async for v in judge.ask(Inquiry(Case(log, films), asked), CALL)] for log in logs]


def judged(logs: Sequence[ConversationLog], service: str, judge: str) -> list[list[Verdict]]:
    """Each log's verdicts on CONCEPT's factors, by a running service."""
    verdicts = []
    for log in logs:
        body = {"log": _as_body(log), "factors": sorted(set(JUDGED.values())), "judge": judge}
        response = httpx2.post(f"{service}/score", json=body, timeout=120)
        response.raise_for_status()
        verdicts.append([WireVerdict.model_validate(v).value() for v in response.json()["verdicts"]])
    return verdicts


def _as_body(log: ConversationLog) -> dict[str, Any]:
    return {
        "system": log.system,
        "messages": [
            {
                "role": message.role.value,
                "content": message.content,
                "recommendations": None if message.recommendations is None else list(message.recommendations),
            }
            for message in log.messages
        ],
    }


def table(reports: dict[str, MetricsReport]) -> Table:
    """Abilities and their parts, a column for each variant."""
    shown = Table("ability", *reports, title="CONCEPT's six abilities, 95 % intervals")
    for ability in Ability:
        scores = {name: _overall(report, ability) for name, report in reports.items()}
        shown.add_row(
            f"[bold]{ability.value}[/]", *(f"[bold]{_cell(s.score, s)}[/]" for s in scores.values())
        )
        for place, part in enumerate(next(iter(scores.values())).parts):
            shown.add_row(
                f"  {part.name}", *(_cell(s.parts[place].value, s.parts[place]) for s in scores.values())
            )
    return shown


def _overall(report: MetricsReport, ability: Ability) -> AbilityScore:
    return report.abilities[ability][0]


def _cell(value: float | None, found: AbilityScore | Part) -> str:
    if value is None:
        return f"- ({found.undefined})"
    bounds = f" [{found.interval.low:.2f}, {found.interval.high:.2f}]" if found.interval else ""
    return f"{value:.2f}{bounds}"


def figure(reports: dict[str, MetricsReport]) -> str:
    """Abilities (1-5) and shares (0-1) as dots with intervals, as SVG."""
    scores = {ability.value: [_overall(r, ability) for r in reports.values()] for ability in Ability}
    top = {
        name: [(s.score, s.interval) for s in row] for name, row in scores.items() if name != "coordination"
    }
    shares: dict[str, list[Any]] = {}
    points: dict[str, list[Any]] = {}
    for ability in Ability:
        for place, part in enumerate(_overall(next(iter(reports.values())), ability).parts):
            found = [_overall(report, ability).parts[place] for report in reports.values()]
            if ability is not Ability.COORDINATION and part.name != ability:  # a part that is all of it
                of_unit = shares if part.unit == "share" else points
                of_unit[part.name] = [(p.value, p.interval) for p in found]
    shares["coordination"] = [(s.score, s.interval) for s in scores["coordination"]]
    panels = (
        ("abilities, 1 to 5", 1.0, 5.0, top),
        ("judged parts, 1 to 5", 1.0, 5.0, points),
        ("shares; coordination: lower is steadier", 0.0, 1.0, shares),
    )
    return _svg(list(reports), panels)


def _svg(names: Sequence[str], panels: Sequence[tuple[str, float, float, dict[str, list[Any]]]]) -> str:
    lines, y = [], 30
    for place, name in enumerate(names):
        x = 40 + 620 * place // len(names)
        lines.append(f'<circle cx="{x}" cy="14" r="5" fill="{COLOURS[place]}"/>')
        lines.append(f'<text x="{x + 10}" y="18">{escape(name)}</text>')
    for title, low, high, rows in panels:
        y += 26
        lines.append(f'<text x="10" y="{y}" font-weight="bold">{escape(title)}</text>')
        for name, values in rows.items():
            y += 10 + 9 * len(names)
            lines.append(
                f'<text x="190" y="{y + 4}" text-anchor="end">{escape(name.replace("_", " "))}</text>'
            )
            lines.append(f'<line x1="200" y1="{y}" x2="640" y2="{y}" stroke="#ddd"/>')
            if all(value is None for value, _ in values):  # a judge that failed throughout
                lines.append(f'<text x="206" y="{y - 3}" fill="#999">no verdict has a score</text>')
            for place, (value, bounds) in enumerate(values):
                lines += _dot(
                    value, bounds, y + 7 * (place - (len(names) - 1) / 2), (low, high), COLOURS[place]
                )
        y += 20 + 4 * len(names)
        for tick in range(5):
            label = low + (high - low) * tick / 4
            lines.append(
                f'<text x="{200 + 110 * tick}" y="{y}" text-anchor="middle" fill="#666">{label:g}</text>'
            )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{y + 14}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *lines, "</svg>"]) + "\n"


def _dot(value: float | None, bounds: Any, y: float, span: tuple[float, float], colour: str) -> list[str]:
    def x(number: float) -> float:
        share = (number - span[0]) / (span[1] - span[0])
        return round(200 + 440 * min(max(share, 0), 1), 1)

    if value is None:
        return []
    dot = f'<circle cx="{x(value)}" cy="{y}" r="4" fill="{colour}"/>'
    if bounds is None:
        return [dot]
    ends = f'x1="{x(bounds.low)}" x2="{x(bounds.high)}" y1="{y}" y2="{y}"'
    return [f'<line {ends} stroke="{colour}" stroke-width="2"/>', dot]


def example_dialogue() -> ModuleType:
    """The example recommender's module."""
    spec = importlib.util.spec_from_file_location("example_dialogue", CRS / "dialogue.py")
    assert spec
    assert spec.loader
    dialogue = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = dialogue
    spec.loader.exec_module(dialogue)
    return dialogue


async def measure(weaknesses: Sequence[str], service: str | None, judge: str) -> dict[str, MetricsReport]:
    """A report for the sound recommender and for each weakness."""
    dialogue = example_dialogue()
    films = load_catalogues(CRS)["films"]
    reports = {}
    for name in ("sound", *weaknesses):
        recommender = Example(dialogue, () if name == "sound" else (name,))
        logs, compared = await sessions(name, recommender, films)
        verdicts = judged(logs, service, judge) if service else await judged_here(logs, films)
        reports[name] = compute(logs, verdicts=verdicts, reply_pairs=compared, catalogue=films)
    return reports


def main() -> int:
    """Measure, print the table, write the figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weakness", nargs="*", default=["invents-items", "oversells", "repeats-itself"])
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--service")
    parser.add_argument("--judge", default="builtin")
    asked = parser.parse_args()
    reports = asyncio.run(measure(asked.weakness, asked.service, asked.judge))
    Console(width=140).print(table(reports))
    if asked.figure:
        asked.figure.write_text(figure(reports), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
