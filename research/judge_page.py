"""Write the measured parts of docs/embedded-judge.md and README.md from the reports beside this file.

    python -m research.judge_page

Reads detector/results.json, exam_runs.jsonl, overall.json, factors.json and exchanged.json; `make -C research` has a target for each.
A test fails where the page is stale, or where the last exam was taken by other weights."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from service.faults.measured import load_measurements

HERE = Path(__file__).parent
RARELY = 0.2
PAGE, README = HERE.parent / "docs" / "embedded-judge.md", HERE.parent / "README.md"
EXAM = {
    "sensitivity": "home factor falls by half a point",
    "right_factors": "right factors that fall by half a point",
    "others_moved": "other factors that move",
    "detected": "fault reported by its name",
    "false_alarms": "good conversations with a reported fault",
    "overall_falls": "overall score falls",
    "absolute_error": "error of the overall score, of 4",
    "rank_correlation": "rank correlation of the overall score",
    "awful_score": "overall score of awful conversations",
}
SETS = {
    "absolute": "our own conversations, rated by models",
    "crsarena_eval.dev redial": "films, ReDial systems",
    "crsarena_eval.dev opendialkg": "films, OpenDialKG systems",
    "uss_sgd.dev": "travel, restaurants, events",
    "cosrec.dev": "products",
    "uss_redial.dev": "films, people as recommenders",
    "uss_ccpe.dev": "interviews about films",
    "factors": "our own conversations, from the readers' ratings of the factors (language models)",
}
NOT_PEOPLE = frozenset({"absolute", "factors"})


def read(name: str) -> Any:
    """Return what a report holds."""
    return json.loads((HERE / name).read_text("utf-8"))


def runs() -> list[dict[str, Any]]:
    """Return every logged exam, the oldest first."""
    return [json.loads(line) for line in (HERE / "exam_runs.jsonl").read_text("utf-8").splitlines()]


def lines() -> Iterator[str]:
    """Yield the lines of the measured part."""
    first, last = runs()[0], runs()[-1]
    yield "**The exam**: 300 pairs that differ by one fault, and 60 rated conversations. Nothing was tuned on them. `make -C research exam`.\n"
    yield "| figure | rules, before | this judge | 95 % interval |"
    yield "| --- | ---: | ---: | --- |"
    for key, title in EXAM.items():
        now = last[key]
        yield f"| {title} | {first[key]['value']:.2f} | {now['value']:.2f} | {now['low']:.2f} to {now['high']:.2f} |"
    yield "\n**Faults on held-out domains of the corpus**, where the thresholds were chosen. `make -C research detector`.\n"
    found = read("detector/results.json")
    summary = found["summary"]
    yield "| figure | value |"
    yield "| --- | ---: |"
    yield f"| area under the curve, any fault | {summary['area_any']:.2f} |"
    yield f"| the same on context swaps | {summary['area_context_swaps']:.2f} |"
    yield f"| the same, where one reply is faulty or good by an earlier message | {summary['area_twins']:.2f} |"
    yield f"| pairs in the right order | {summary['pairs_in_order']:.2f} |"
    yield f"| recall by name, over all learned faults | {summary['recall']:.2f} |"
    for name, share in summary["alarmed_conversations"].items():
        yield f"| good conversations with a report, {name} | {share:.1%} |"
    seldom = [row["slug"] for row in found["shipped"] if not row["shipped"]]
    yield f"\nFound too rarely or too uncertainly to be reported: {', '.join(sorted(seldom)) or 'none'}.\n"
    yield "**People's overall labels**, the set left out of the fit. `make -C research overall`.\n"
    yield "| set | n | r | within systems | mean error |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    agreement = read("overall.json")
    for name, title in SETS.items():
        row = agreement[name]
        yield f"| {title} | {row['n']} | {row['r']:.2f} | {row['within_systems']:.2f} | {row['error']:.2f} |"
    yield "\n**People's labels of single factors**, conversations about films (CRSArena-Eval). `make -C research dead-zones`.\n"
    yield "| factor | people's label | n | r | within systems |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for name, row in read("factors.json").items():
        label = row["label"].replace("_", " ")
        yield f"| {name} | {label} | {row['n']} | {row['r']:.2f} | {row['within_systems']:.2f} |"
    yield "\n**A reply replaced by one from another conversation**, recognized by its own coherence score. `make -C research exchanged`.\n"
    yield "| conversations | replies | area under the curve |"
    yield "| --- | ---: | ---: |"
    for name, row in read("exchanged.json").items():
        yield f"| {name} | {row['replies']} | {row['area']:.2f} |"


def rarely_named() -> list[tuple[float, str]]:
    """Return the faults of which under `RARELY` are named on held-out writers of the corpus, with the share, the rarest first."""
    rows = ((one, slug) for slug, found in load_measurements().items() for one in found)
    return sorted(
        (one.sensitivity, slug)
        for one, slug in rows
        if one.on == "corpus" and one.sensitivity is not None and one.sensitivity < RARELY
    )


def readme_lines() -> Iterator[str]:
    """Yield the lines of the README's measured part: what the exam found, and agreement with people."""
    exam = runs()[-1]
    named, falls, alarms = (
        f"{exam[key]['value']:.0%}" for key in ("detected", "sensitivity", "false_alarms")
    )
    yield f"- On 300 pairs of conversations that differ by one fault, it names {named} of the faults. In {falls} of the pairs the correct factor gets a lower score, even if no fault is named."
    yield f"- It wrongly reports a fault in {alarms} of the good conversations. These pairs were not used to tune the judge."
    seldom = ", ".join(f"{fault} ({share:.0%})" for share, fault in rarely_named())
    yield f"- It rarely names {seldom} unless a catalogue or a price proves the fault. If it does not report such a fault, the fault can still be there."
    yield "- The table compares its overall score with people's ratings, which were not used to fit it. 1 is perfect agreement, 0 is none:\n"
    yield "| conversations | correlation (Pearson's r) | rated by people (n) |"
    yield "| --- | ---: | ---: |"
    for name, row in read("overall.json").items():
        if name in SETS and name not in NOT_PEOPLE:
            yield f"| {SETS[name]} | {row['r']:.2f} | {row['n']} |"


def written(page: str, part: Iterable[str], name: str = "measured") -> str:
    """Return the page with the part of a name renewed."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    before, _, rest = page.partition(begin)
    return before + begin + "\n" + "\n".join(part) + "\n\n" + end + rest.partition(end)[2]


def stale() -> dict[Path, str]:
    """Return the new text of each page whose measured part is not what the reports say."""
    pages = {path: path.read_text("utf-8") for path in (PAGE, README)}
    new = {PAGE: written(pages[PAGE], lines()), README: written(pages[README], readme_lines())}
    return {path: text for path, text in new.items() if text != pages[path]}


if __name__ == "__main__":
    for path, text in stale().items():
        path.write_text(text, encoding="utf-8")
