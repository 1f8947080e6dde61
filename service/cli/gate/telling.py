"""A judgement for people and for CI systems: Markdown, annotations, a comment, JSON, JUnit XML."""

from collections.abc import Iterator
from dataclasses import asdict
from xml.etree import ElementTree

from ...domain.plurals import counted
from ..file_formats import json_text, markdown_lines
from ..safe_text import markdown, xml
from .fault_changes import FaultChange
from .fault_rules import seldom_seen
from .results import GateCase, GateJudgement, RuleResult, RuleState

SIGNS = {
    RuleState.PASS: "✅ pass",
    RuleState.FAIL: "❌ fail",
    RuleState.INCONCLUSIVE: "❔ inconclusive",
    RuleState.ERROR: "⚠️ error",
    RuleState.NOT_LIMITED: "· not limited",
    RuleState.SKIPPED: "· skipped",
}
MOST_ANNOTATIONS = 10
MOST_CASES = 100
"""Conversations of one result in a summary; a report as JSON has all of them."""
MOST_COMMENT = 60_000
"""Bytes of a comment; GitHub takes 65,536 characters and GitLab a million."""
MARK = "<!-- crs-eval gate -->"
"""By which a later run finds its comment again."""
_ORDER = (
    RuleState.FAIL, RuleState.ERROR, RuleState.INCONCLUSIVE, RuleState.NOT_LIMITED, RuleState.PASS, RuleState.SKIPPED,
)  # fmt: skip

_ELEMENTS = {
    RuleState.FAIL: "failure",
    RuleState.ERROR: "error",
    RuleState.INCONCLUSIVE: "skipped",
    RuleState.NOT_LIMITED: "skipped",
    RuleState.SKIPPED: "skipped",
}


def ordered(judgement: GateJudgement) -> list[RuleResult]:
    """The results, the gravest first, and faults before means."""
    return sorted(judgement.results, key=lambda result: (_ORDER.index(result.state), not result.about_faults))


def headline(judgement: GateJudgement) -> str:
    """Return what was judged, and the faults that no rule limits: a pass must not hide them."""
    if judgement.candidate is None:
        return "The conversations could not be judged."
    against = f" against {judgement.baseline.name}" if judgement.baseline else ""
    if judgement.baseline and judgement.baseline.name == judgement.candidate.name:
        against = " against itself, so nothing can be worse"
    judged = (
        f"{counted(len(judgement.candidate.records), 'conversation')} of {judgement.candidate.name}{against}"
    )
    unlimited = [result.detail for result in judgement.results if result.state is RuleState.NOT_LIMITED]
    return " ".join(f"{sentence}." for sentence in (judged, *unlimited))


def limits(judgement: GateJudgement) -> str:
    """Return a sentence on the faults that the judge seldom sees; empty where there are none."""
    seen = seldom_seen(judgement.candidate) if judgement.candidate else {}
    listed = ", ".join(f"{fault} ({100 * share:.0f} %)" for fault, share in seen.items())
    return f"The embedded judge seldom sees: {listed}. A pass says nothing about these." if seen else ""


def summary(judgement: GateJudgement) -> str:
    """The whole judgement as Markdown."""
    rules = [(markdown(r.name), SIGNS[r.state], markdown(r.detail, 400)) for r in ordered(judgement)]
    lines = [
        MARK,
        f"## Recommender quality: {SIGNS[judgement.state]}",
        "",
        markdown(headline(judgement)),
        "",
        *(f"- {markdown(note)}" for note in judgement.notes),
        *([""] if judgement.notes else []),
        *markdown_lines(("rule", "verdict", ""), rules),
    ]
    for result in ordered(judgement):
        if result.worst:
            lines += ["", f"<details><summary>{markdown(result.name)}: where it shows</summary>", ""]
            lines += [
                f"- **{markdown(case.conversation, 120)}** {markdown(case.text, 400)}"
                for case in result.worst[:MOST_CASES]
            ]
            lines += [f"- and {more} more"] if (more := len(result.worst) - MOST_CASES) > 0 else []
            lines += ["", "</details>"]
    lines += ["", markdown(told)] if (told := limits(judgement)) else []
    return "\n".join(lines) + "\n"


def comment(judgement: GateJudgement) -> str:
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


def annotations(judgement: GateJudgement) -> Iterator[str]:
    """At most ten workflow commands for GitHub: each rule that did not pass, then the worst conversations."""
    made: list[str] = []
    troubled = [
        r for r in ordered(judgement) if r.state in (RuleState.FAIL, RuleState.ERROR, RuleState.INCONCLUSIVE)
    ]
    for result in troubled:
        level = "warning" if result.state is RuleState.INCONCLUSIVE else "error"
        made.append(f"::{level} title={_property(result.name)}::{_message(result.detail)}")
    made += [f"::warning::{_message(note)}" for note in judgement.notes]
    for case in shown_cases(judgement) if judgement.state is RuleState.FAIL else ():
        title = _property(f"{case.conversation}: {case.factor}")
        made.append(f"::error title={title}::{_message(case.text[:300])}")
    yield from made[:MOST_ANNOTATIONS]


def shown_cases(judgement: GateJudgement) -> list[GateCase]:
    """Return the conversations behind what failed, or the largest falls where nothing did: those with faults first, of each
    fault one before the second of any, then the others, each once, the worst first."""
    failed = [result for result in judgement.results if result.state is RuleState.FAIL]
    shown = [
        (place, case) for result in failed or judgement.results for place, case in enumerate(result.worst)
    ]
    shown.sort(key=lambda one: _rank(*one))
    found: dict[str, GateCase] = {}
    for _, case in shown:
        found.setdefault(case.conversation, case)
    return list(found.values())


def _rank(place: int, case: GateCase) -> tuple[bool, int, float, str]:
    return (not case.fault, place if case.fault else 0, -case.loss, case.conversation)


def _message(text: str) -> str:
    # The runner reads a line as a command: what could end ours and begin another is written as it wants.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_json(judgement: GateJudgement) -> str:
    """The judgement for programs."""
    value = {
        "verdict": judgement.state.value,
        "exit": int(judgement.exit),
        "candidate": judgement.candidate.name if judgement.candidate else None,
        "baseline": judgement.baseline.name if judgement.baseline else None,
        "notes": list(judgement.notes),
        "results": [_result(result) for result in judgement.results],
    }
    return json_text(value)


def _result(result: RuleResult) -> dict[str, object]:
    d = result.difference
    return {
        "name": result.name,
        "factor": None if result.fault else result.factor,
        "fault": result.fault,
        "verdict": result.state.value,
        "detail": result.detail,
        "change": _change(result.change) if result.change else None,
        "loss": d.loss if d else None,
        "interval": {"low": d.low, "high": d.high, "level": 0.95} if d else None,
        "p": d.p if d else None,
        "p_adjusted": d.adjusted if d else None,
        "n": d.n if d else None,
        "smallest_visible_drop": result.visible,
        "worst": [{"conversation": case.conversation, **case.json} for case in result.worst],
    }


def _change(change: FaultChange) -> dict[str, object]:
    told = asdict(change)
    return {
        **{name: told[name] for name in ("before", "now", "n", "gained", "lost", "p")},
        "p_adjusted": change.adjusted,
    }


def junit(judgement: GateJudgement) -> str:
    """The document. `skipped` carries whether a rule was inconclusive or not assessable at all."""
    states = [result.state for result in judgement.results]
    elements = [_ELEMENTS.get(state) for state in states]
    counts = {
        "tests": len(states),
        "failures": elements.count("failure"),
        "errors": elements.count("error"),
        "skipped": elements.count("skipped"),
    }
    numbers = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "crs-eval", **numbers})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "crs-eval gate", **numbers})
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", {"name": "verdict", "value": judgement.state.value})
    for result in judgement.results:
        _junit_case(suite, result)
    if judgement.notes:
        ElementTree.SubElement(suite, "system-out").text = xml("\n".join(judgement.notes))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _junit_case(suite: ElementTree.Element, result: RuleResult) -> None:
    subject = f"faults.{result.factor}" if result.fault else result.factor
    name = {"name": xml(result.name), "classname": f"crs-eval.{xml(subject)}", "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", name)
    told = xml(f"{result.state.value}: {result.detail}")
    if (element := _ELEMENTS.get(result.state)) is not None:
        child = ElementTree.SubElement(case, element, {"message": told})
        child.text = xml("\n".join(f"{case.conversation}: {case.text}" for case in result.worst)) or None
    else:
        ElementTree.SubElement(case, "system-out").text = told
