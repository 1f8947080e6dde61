"""A judgement for people and for CI systems: Markdown, annotations, a comment, JSON."""

import json
from collections.abc import Iterator, Sequence

from ..safe_text import markdown
from .results import Case, Judgement, Result, State

SIGNS = {
    State.PASS: "✅ pass",
    State.FAIL: "❌ fail",
    State.INCONCLUSIVE: "❔ inconclusive",
    State.ERROR: "⚠️ error",
    State.SKIPPED: "· skipped",
}
MOST_ANNOTATIONS = 10
MOST_COMMENT = 60_000
"""Bytes of a comment; GitHub takes 65,536 characters and GitLab a million."""
MARK = "<!-- crs-eval gate -->"
"""By which a later run finds its comment again."""
_ORDER = (State.FAIL, State.ERROR, State.INCONCLUSIVE, State.PASS, State.SKIPPED)


def ordered(judgement: Judgement) -> list[Result]:
    """The results, the gravest first."""
    return sorted(judgement.results, key=lambda result: _ORDER.index(result.state))


def headline(judgement: Judgement) -> str:
    """Return what was judged."""
    if judgement.candidate is None:
        return "The conversations could not be judged."
    against = f" against {judgement.baseline.name}" if judgement.baseline else ""
    return f"{len(judgement.candidate.records)} conversations of {judgement.candidate.name}{against}."


def summary(judgement: Judgement) -> str:
    """The whole judgement as Markdown."""
    lines = [
        MARK,
        f"## Recommender quality: {SIGNS[judgement.state]}",
        "",
        markdown(headline(judgement)),
        "",
        *(f"- {markdown(note)}" for note in judgement.notes),
        *([""] if judgement.notes else []),
        "| rule | verdict | |",
        "| --- | --- | --- |",
        *(
            f"| {markdown(r.name)} | {SIGNS[r.state]} | {markdown(r.detail, 400)} |"
            for r in ordered(judgement)
        ),
    ]
    for result in ordered(judgement):
        if result.worst and result.state in (State.FAIL, State.INCONCLUSIVE):
            lines += ["", f"<details><summary>{markdown(result.name)}: where it shows</summary>", ""]
            lines += [_case(case) for case in result.worst]
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _case(case: Case) -> str:
    before = f"{case.before:.2f} → " if case.before is not None else ""
    return f"- **{markdown(case.conversation, 120)}** {before}{case.score:.2f}. {markdown(case.rationale)}"


def comment(judgement: Judgement) -> str:
    """The summary, cut to what a comment may hold: whole lines, and a word on what is missing."""
    text = summary(judgement)
    if len(text.encode()) <= MOST_COMMENT:
        return text
    kept, size = [], 0
    for line in text.split("\n"):
        size += len(line.encode()) + 1
        if size > MOST_COMMENT - 200:
            break
        kept.append(line)
    opened = sum(line.startswith("<details>") for line in kept) > sum(line == "</details>" for line in kept)
    return "\n".join(
        [*kept, *(["", "</details>"] if opened else []), "", "The rest is in the job's summary.", ""]
    )


def annotations(judgement: Judgement) -> Iterator[str]:
    """At most ten workflow commands for GitHub: each rule that did not pass, then the worst conversations."""
    made: list[str] = []
    troubled = [r for r in ordered(judgement) if r.state in (State.FAIL, State.ERROR, State.INCONCLUSIVE)]
    for result in troubled:
        level = "warning" if result.state is State.INCONCLUSIVE else "error"
        made.append(f"::{level} title={_property(result.name)}::{_message(result.detail)}")
    made += [f"::warning::{_message(note)}" for note in judgement.notes]
    failed = [case for result in troubled if result.state is State.FAIL for case in result.worst]
    for case in worst_of(failed):
        before = f"{case.before:.2f} before, " if case.before is not None else ""
        told = f"{before}{case.score:.2f} now. {case.rationale[:300]}"
        made.append(f"::error title={_property(f'{case.conversation}: {case.factor}')}::{_message(told)}")
    yield from made[:MOST_ANNOTATIONS]


def worst_of(cases: Sequence[Case]) -> list[Case]:
    """Each conversation once, with what weighs most, the worst first."""
    found: dict[str, Case] = {}
    for case in sorted(cases, key=lambda case: (-case.loss, case.conversation)):
        found.setdefault(case.conversation, case)
    return list(found.values())


def _message(text: str) -> str:
    # The runner reads a line as a command: what could end ours and begin another is written as it wants.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_json(judgement: Judgement) -> str:
    """The judgement for programs."""
    value = {
        "verdict": judgement.state.value,
        "exit": int(judgement.exit),
        "candidate": judgement.candidate.name if judgement.candidate else None,
        "baseline": judgement.baseline.name if judgement.baseline else None,
        "notes": list(judgement.notes),
        "results": [_result(result) for result in judgement.results],
    }
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _result(result: Result) -> dict[str, object]:
    d = result.difference
    return {
        "name": result.name,
        "factor": result.factor,
        "verdict": result.state.value,
        "detail": result.detail,
        "loss": d.loss if d else None,
        "interval": {"low": d.low, "high": d.high, "level": 0.95} if d else None,
        "p": d.p if d else None,
        "p_adjusted": d.adjusted if d else None,
        "n": d.n if d else None,
        "smallest_visible_drop": result.visible,
        "worst": [
            {"conversation": c.conversation, "score": c.score, "before": c.before, "rationale": c.rationale}
            for c in result.worst
        ],
    }
