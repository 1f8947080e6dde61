"""Leave every rule, and every pattern, of the embedded judge out in turn: what adds nothing can go.

    python -m research.ablation --data FOLDER [--only FAMILY] [--write]

Rules: in how many labelled conversations each finds something, and what leaving it out changes. One change is that of Pearson's r
between the overall score and people's label, by family. Another is that between coherence and the relevance of single replies. The
third is that of the golden contrasts (pairs of which the better one must win). Rules take no part in learning here, and the weighings
stay as they ship: a change under .005 is noise. Belonging is left out throughout.

Patterns: for every list of dialogue acts, care and reasons, in how many distinct messages of the folder it finds something. It
counts the alternatives that decide alone in fewer than `FEW` of them.

`--write` puts both tables into docs/ablation.md."""

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from research.families import ALL_LABELS, OVERALL, Answer, answer, compared, labelled_families
from research.labelled import Labelled
from research.rated_logs import Pairs
from service.judges.embedded import EmbeddedJudge, judge
from service.judges.embedded.observations.acts.acts import LEXICON as ACTS
from service.judges.embedded.observations.content.reasons import LEXICON as REASONS
from service.judges.embedded.observations.observer import read_case
from service.judges.embedded.observations.reading import Reading
from service.judges.embedded.observations.wording.manners import CARE
from service.judges.embedded.rules import replies
from service.judges.embedded.rules.replies import LOSSES
from service.judges.embedded.rules.rule import plain_rules
from service.judges.inquiry import Case
from service.text.patterns import Finder, Lexicon
from service.text.words import straight

ROOT = Path(__file__).resolve().parents[1]
CONTRASTS = ROOT / "tests" / "golden" / "contrasts.json"
PAGE = ROOT / "docs" / "ablation.md"
MARKS = "<!-- measured: begin -->", "<!-- measured: end -->"
#: An alternative that decides alone in fewer messages adds next to nothing.
FEW = 4
#: Points of the debate that lie between the two sessions of a contrast at least, as the golden test demands.
APART = 10
FILM, CONTRAST = "film", "contrasts"
TURNS = "turn relevance", "coherence, turns"
Key = tuple[str, str]


@dataclass
class Bench:
    """Labelled logs by family, with the contrasts, each read once; `fired` says in which logs a rule found something."""

    logs: Mapping[str, Sequence[Labelled]]
    judge: EmbeddedJudge = field(default_factory=EmbeddedJudge)
    readings: dict[Key, Reading] = field(default_factory=dict)
    fired: dict[str, set[Key]] = field(default_factory=lambda: defaultdict(set))
    now: Key = ("", "")

    async def read(self, case: Case, **_: bool) -> Reading:
        """The reading of the log that is judged now."""
        if self.now not in self.readings:
            self.readings[self.now] = await read_case(case)
        return self.readings[self.now]

    def judged(self, reading: Reading) -> tuple[replies.Judged, ...]:
        """Judge the replies, and note what was found."""
        found = replies.judge_replies(reading)
        for each in found:
            for kind in each.kinds:
                self.fired[kind].add(self.now)
        return found

    async def answers(self, keys: Iterable[Key]) -> dict[Key, Answer]:
        """The judge's answers to some of the logs."""
        by_key = {(family, one.name): one for family, logs in self.logs.items() for one in logs}
        found = {}
        with patch.object(judge, "read_case", self.read), patch.object(judge, "judge_replies", self.judged):
            for key in keys:
                self.now = key
                found[key] = await answer(self.judge, by_key[key])
        return found


@contextmanager
def without(kind: str) -> Iterator[None]:
    """Judge without one rule."""

    def dropping(found: Callable[..., Iterable[str]]) -> Callable[..., Iterator[str]]:
        return lambda *given: (each for each in found(*given) if each != kind)

    plain = tuple(rule for rule in plain_rules() if rule.slug != kind)
    with ExitStack() as stack:
        for name in ("own_faults", "unserved", "aftermath"):
            stack.enter_context(patch.object(replies, name, dropping(getattr(replies, name))))
        stack.enter_context(patch.object(replies, "plain_rules", lambda: plain))
        yield


def agreement(logs: Mapping[str, Sequence[Labelled]], answers: Mapping[Key, Answer]) -> dict[str, float]:
    """Pearson's r of the overall score with people's label of the whole, by family; the systems of films are one. And of
    coherence's scores of turns with how relevant people found these replies of films."""
    pooled: dict[str, Pairs] = {}
    for family, some in logs.items():
        if family == CONTRAST:
            continue
        known = {one.name: answers[family, one.name] for one in some}
        for (label, output), pairs in compared(some, known).items():
            name = FILM if "," in family else family
            if (label, output) == TURNS:
                name = f"{name}, turns"
            elif output != "debate" or label not in (OVERALL, ALL_LABELS, "overall"):
                continue
            into = pooled.setdefault(name, Pairs())
            for row in zip(pairs.label, pairs.output, pairs.system, strict=True):
                into.add(*row)
    return {family: pairs.pearson or 0.0 for family, pairs in pooled.items()}


def lost_contrasts(answers: Mapping[Key, Answer]) -> set[str]:
    """The pairs whose better session is not plainly ahead."""
    names = {
        name.removesuffix(" +") for family, name in answers if family == CONTRAST and name.endswith(" +")
    }

    def scores(name: str) -> Any:
        return answers[CONTRAST, name]["scores"]

    return {
        name
        for name in names
        if scores(f"{name} +")["debate"] - scores(f"{name} -")["debate"] < APART
        or scores(f"{name} +")["coherence"] <= scores(f"{name} -")["coherence"]
    }


def contrasts() -> list[Labelled]:
    """Both sessions of every contrast."""
    roles = {"U": "user", "A": "assistant"}
    found = []
    for pair in json.loads(CONTRASTS.read_text(encoding="utf-8")):
        for mark, talk in (("+", pair["better"]), ("-", pair["worse"])):
            name = f"{pair['name']} {mark}"
            messages = [{"role": roles[line[0]], "content": line[3:]} for line in talk]
            log = {"id": name, "system": CONTRAST, "domain": pair["domain"], "messages": messages}
            found.append(Labelled(log, {}, {}))
    return found


async def rule_table(data: Path, only: str = "") -> list[str]:
    """A row for every rule, those that find most first, on the families whose names begin with `only`."""
    families = {name: logs for name, logs in labelled_families(data).items() if name.startswith(only)}
    bench = Bench({**families, CONTRAST: contrasts()})
    keys = [(family, one.name) for family, logs in bench.logs.items() for one in logs]
    base = await bench.answers(keys)
    fired = {kind: set(found) for kind, found in bench.fired.items()}
    whole, lost = agreement(bench.logs, base), lost_contrasts(base)
    names = list(whole)
    lines = [
        f"| rule | points | found in | {' | '.join(names)} | contrasts lost |",
        "| --- " * (len(names) + 4) + "|",
        f"| none left out | | | {' | '.join(f'{whole[name]:.3f}' for name in names)} | |",
    ]
    for kind in sorted(LOSSES, key=lambda kind: -len(fired.get(kind, ()))):
        found = fired.get(kind, set())
        with without(kind):
            answers = {**base, **await bench.answers(found)}
        changed = agreement(bench.logs, answers)
        told = " | ".join(_change(changed[name] - whole[name]) for name in names)
        count = sum(family != CONTRAST for family, _ in found)
        fallen = ", ".join(sorted(lost_contrasts(answers) - lost))
        lines.append(f"| `{kind}` | {LOSSES[kind][0]:g} | {count} | {told} | {fallen} |")
    return lines


def _change(value: float) -> str:
    return "" if abs(value) < 0.0005 else f"{value:+.3f}"


def pattern_table(data: Path) -> list[str]:
    """A row for every list of patterns."""
    said = _messages(data)
    lines = [
        "| list | alternatives | longest | messages heard | alternatives that decide alone in fewer than four |",
        "| --- " * 5 + "|",
    ]
    for lexicon, path, side in _lists():
        finder = lexicon.finder(*path)
        alone, heard = _alone(finder, said[side])
        few = sum(number < FEW for number in alone)
        longest = max(map(len, _written(lexicon, path)))
        lines.append(f"| {' '.join((lexicon.name, *path))} | {len(alone)} | {longest} | {heard} | {few} |")
    return lines


def _lists() -> Iterator[tuple[Lexicon, tuple[str, ...], str]]:
    for side in ("user", "reply"):
        yield from ((ACTS, (side, act), side) for act in ACTS.tables[side])
    for lexicon in (REASONS, CARE):
        for name, listed in lexicon.tables.items():
            if isinstance(listed, list):
                yield lexicon, (name,), "user" if name == "occasion" else "reply"


def _written(lexicon: Lexicon, path: Sequence[str]) -> list[str]:
    found: Any = lexicon.tables
    for key in path:
        found = found[key]
    return list(found)


def _messages(data: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"user": set(), "reply": set()}
    for path in data.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            for message in json.loads(line).get("messages") or ():
                side = "user" if message["role"] == "user" else "reply"
                found[side].add(straight(message["content"]))
    return found


def _alone(finder: Finder, texts: Iterable[str]) -> tuple[list[int], int]:
    """In how many texts each alternative matches and no other does, and in how many any does."""
    alone = Counter[int]()
    heard = 0
    parts = [Finder(alternative) for alternative in finder.alternatives]
    for text in texts:
        matching = [place for place, part in enumerate(parts) if part.search(text)]
        heard += bool(matching)
        if len(matching) == 1:
            alone[matching[0]] += 1
    return [alone[place] for place in range(len(parts))], heard


def main() -> None:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="", help="families whose names begin so, for the rules")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    tables = ["## Rules", "", *asyncio.run(rule_table(options.data, options.only)), "", "## Patterns", ""]
    text = "\n".join([*tables, *pattern_table(options.data)])
    if not options.write:
        print(text)
        return
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    PAGE.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
