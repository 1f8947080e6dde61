"""Check the metrics on CONCEPT's sessions by a second route, beside the paper's figures.

    python -m research.report_concept FOLDER

FOLDER holds `concept_<name>.sample.jsonl` (or `concept_<name>.jsonl`: the full release), logs in
the service's format, one a line, and `catalog.<name>.jsonl`, their items. The data are not part of
the project: without them the tool says so and fails. The second route reads each published rule
straight into plain Python and shares no code with the service. Exit status 1: the two differ."""

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from service.api.wire.log import Item, Log
from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog
from service.metrics import Matching, MetricsReport, compute

Session = Mapping[str, Any]
Figures = dict[tuple[str, str | None, int | None], float | None]

KS, TURNS = (1, 10, 25, 50), (3, 5, 10)

# CONCEPT, table 3: KBRD, BARCOR, UniCRS, CHATCRS; shares in per cent.
PUBLISHED: Mapping[str, Mapping[tuple[str, str | None, int | None], tuple[float, ...]]] = {
    "redial": {
        ("recall", "lists", 1): (0.02, 0.22, 0.13, 0.41),
        ("recall", "lists", 10): (0.23, 1.37, 1.09, 2.27),
        ("recall", "lists", 25): (0.57, 3.23, 2.44, 4.95),
        ("recall", "lists", 50): (1.13, 5.69, 4.58, 8.85),
        ("success_rate", "lists", 3): (3.95, 31.36, 14.04, 37.72),
        ("success_rate", "lists", 5): (4.39, 35.53, 15.68, 40.90),
        ("success_rate", "lists", 10): (4.50, 39.47, 18.20, 46.60),
        ("success_rate", "text", 3): (20.18, 27.52, 35.20, 52.63),
        ("success_rate", "text", 5): (24.34, 39.47, 38.27, 58.55),
        ("success_rate", "text", 10): (29.39, 50.66, 43.42, 62.39),
        ("average_turns", "text", 10): (3.30, 3.80, 2.86, 2.50),
        ("average_turns", "lists", 10): (2.07, 2.87, 3.02, 3.23),
        ("acceptance_rate", "user", None): (0.33, 1.43, 0.33, 70.83),
        ("turns_to_acceptance", "user", 10): (8.01, 5.62, 7.67, 4.75),
    },
    "opendialkg": {
        ("recall", "lists", 1): (0.12, 0.03, 0.15, 0.37),
        ("recall", "lists", 10): (0.98, 0.94, 1.28, 3.23),
        ("recall", "lists", 25): (1.94, 2.07, 3.06, 8.20),
        ("recall", "lists", 50): (3.53, 3.43, 5.81, 15.14),
        ("success_rate", "lists", 3): (4.69, 1.82, 9.90, 31.12),
        ("success_rate", "lists", 5): (14.19, 3.52, 17.45, 37.24),
        ("success_rate", "lists", 10): (16.02, 7.29, 29.30, 46.48),
        ("success_rate", "text", 3): (6.51, 17.71, 14.58, 26.30),
        ("success_rate", "text", 5): (10.68, 24.22, 26.69, 36.33),
        ("success_rate", "text", 10): (12.37, 35.16, 45.31, 44.40),
        ("average_turns", "text", 10): (4.07, 4.19, 5.14, 3.56),
        ("average_turns", "lists", 10): (3.97, 5.88, 5.00, 3.74),
        ("acceptance_rate", "user", None): (0.39, 0.65, 0.26, 64.32),
        ("turns_to_acceptance", "user", 10): (5.33, 6.40, 5.00, 4.69),
    },
}
SYSTEMS = ("kbrd", "barcor", "unicrs", "chatgpt")
SPREAD = (("success_rate", "text", 10), ("success_rate", "lists", 10), ("acceptance_rate", "user", None))
LABELS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "age_group": lambda user: user["age_group"].casefold(),
    "persona": lambda user: user["persona"].casefold(),
    "attributes": lambda user: tuple(sorted(user["attributes"], key=str.casefold)),
}


def by_hand(sessions: Sequence[Session], items: Sequence[Session]) -> Figures:
    """The published figures of one system, each rule as it stands."""
    known = [_facts(session, items) for session in sessions]
    figures: Figures = {}
    for k in KS:
        figures["recall", "lists", k] = _mean(
            sum(title in f["targets"] for title in f["lists"][-1][:k]) / len(f["targets"]) for f in known
        )
    for view in ("lists", "text"):
        for turns in TURNS:
            hits = [f[view + "_success"] for f in known]
            within = [hit for hit in hits if hit is not None and hit <= turns]
            figures["success_rate", view, turns] = len(within) / len(hits)
            figures["average_turns", view, turns] = _mean(within)
    accepted = [f for f in known if f["accepted"]]
    figures["acceptance_rate", "user", None] = len(accepted) / len(known)
    for cut in (10, None):  # the paper leaves the eleventh message out, whatever the cut
        figures["turns_to_acceptance", "user", cut] = _mean(f["place"] for f in accepted if f["place"] <= 10)
    figures["deceptive_acceptances", "user", None] = _mean(not f["honest"] for f in accepted)
    return figures


def _facts(session: Session, items: Sequence[Session]) -> dict[str, Any]:
    wanted = set(session["user"]["attributes"])
    targets = {item["title"] for item in items if wanted <= set(item["attributes"]["genre"])}
    names = [re.sub(r" \(\d{4}\)$", "", title).lower() for title in targets]
    replies = [message for message in session["messages"] if message["role"] == "assistant"]
    spoken = [index for index, message in enumerate(session["messages"]) if message["role"] == "user"]
    at = session["outcome"]["message"]
    lists = [reply["recommendations"] for reply in replies]
    texts = [reply["content"].lower() for reply in replies]
    return {
        "targets": targets,
        "lists": lists,
        "lists_success": _first(shown[:1] and shown[0] in targets for shown in lists),
        "text_success": _first(any(name in text for name in names) for text in texts),
        "accepted": session["outcome"]["accepted"],
        "place": spoken.index(at) + 1 if at is not None else None,
        "honest": at is not None
        and any(name in session["messages"][at]["content"].lower() for name in names),
    }


def _first(successes: Iterable[object]) -> int | None:
    return next((turn for turn, success in enumerate(successes, start=1) if success), None)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def by_service(report: MetricsReport, system: str) -> Figures:
    """The same figures out of the service's table."""
    figures: Figures = {}
    for row in report.rows:
        cut = row.k if row.metric == "recall" else row.turn
        if row.group.get("system") == system and row.scope in {None, "last"}:
            figures[row.metric, row.view, cut] = row.value
    return figures


def read(path: Path) -> list[Session]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _values(sessions: Sequence[Session]) -> list[ConversationLog]:
    return [Log.model_validate_json(json.dumps(session)).value() for session in sessions]


def _catalogue(items: Sequence[Session]) -> Catalogue:
    return Catalogue.of(Item.model_validate(item).value() for item in items)


def report(name: str, sessions: Sequence[Session], items: Sequence[Session]) -> bool:
    """Print one data set; whether both routes agree."""
    logs, catalogue = _values(sessions), _catalogue(items)
    table = compute(
        logs, catalogue=catalogue, matching=Matching.PUBLISHED, group_by=["system"], k=KS, turns=TURNS
    )
    strict = compute(logs, catalogue=catalogue, group_by=["system"], k=KS, turns=TURNS)
    worst = 0.0
    for place, system in enumerate(SYSTEMS):
        full = f"{system}_{name}"
        own = [session for session in sessions if session["system"] == full]
        plain, served, sound = by_hand(own, items), by_service(table, full), by_service(strict, full)
        print(f"\n{full}: {len(own)} sessions\n{'':38}second route  published  strict  paper (all)")
        for key, value in plain.items():
            paper = PUBLISHED[name].get(key)
            worst = max(worst, _gap(value, served[key]))
            print(
                f"{_label(key):38}{_shown(key, value)}{_shown(key, served[key])}{_shown(key, sound[key])}"
                + (f"{paper[place]:12.2f}" if paper else "")
            )
    gaps = [worst]
    _spreads(sessions, items, gaps)
    worst = max(gaps)
    print(f"\n{name}: largest difference between the two routes {worst:.2g}")
    return worst < 1e-9


def _spreads(sessions: Sequence[Session], items: Sequence[Session], worst: list[float]) -> None:
    """Tables 12 to 14: mean and population standard deviation over groups, which weigh alike, by both routes."""
    logs, catalogue = _values(sessions), _catalogue(items)
    for label in LABELS:
        table = compute(
            logs,
            catalogue=catalogue,
            matching=Matching.PUBLISHED,
            metrics=["success_rate", "acceptance_rate"],
            group_by=["system"],
            spread_over=[label],
            turns=[10],
            draws=0,
        )
        served = {
            (row.group["system"], row.metric, row.view, row.turn, row.group["statistic"]): row.value
            for row in table.rows
            if "statistic" in row.group
        }
        for figure in SPREAD:
            shown = []
            for system in dict.fromkeys(session["system"] for session in sessions):
                groups: dict[object, list[Session]] = {}
                for session in sessions:
                    if session["system"] == system:
                        groups.setdefault(LABELS[label](session["user"]), []).append(session)
                values = [v for group in groups.values() if (v := by_hand(group, items)[figure]) is not None]
                plain = {"mean": statistics.fmean(values), "standard_deviation": statistics.pstdev(values)}
                worst += [_gap(plain[name], served[(system, *figure, name)]) for name in plain]
                shown.append(f"{system} {100 * plain['mean']:.2f}+-{100 * plain['standard_deviation']:.2f}")
            print(f"over {label}, {' '.join(str(part) for part in figure if part)}: {'  '.join(shown)}")


def _gap(a: float | None, b: float | None) -> float:
    if a is None or b is None:
        return 0.0 if a is b else float("inf")
    return abs(a - b)


def _label(key: tuple[str, str | None, int | None]) -> str:
    metric, view, cut = key
    return f"{metric} {view}" + (f" @{cut}" if cut else "")


def _shown(key: tuple[str, str | None, int | None], value: float | None) -> str:
    if value is None:
        return f"{'-':>12}"
    return f"{value if 'turns' in key[0] else 100 * value:12.2f}"


def main() -> int:
    """Report on every data set in the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    agree = []
    for name in PUBLISHED:
        found, items = sorted(folder.glob(f"concept_{name}*.jsonl")), folder / f"catalog.{name}.jsonl"
        if found and items.is_file():
            agree.append(report(name, [session for path in found for session in read(path)], read(items)))
    if not agree:
        print(f"{folder}: no concept_<name>.jsonl with its catalog.<name>.jsonl here", file=sys.stderr)
    return 0 if agree and all(agree) else 1


if __name__ == "__main__":
    raise SystemExit(main())
