"""A judgement for people and for CI systems: a terminal, Markdown, annotations, a comment, JSON, JUnit XML."""

import sys
from collections.abc import Callable, Iterator, Mapping
from html import escape
from xml.etree import ElementTree

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...domain.plurals import counted
from ..file_formats import (
    JUnitCase,
    by_suffix,
    json_text,
    junit_suite,
    markdown,
    markdown_lines,
    plain_page,
    table,
    xml,
    xml_text,
)
from ..judge_commands import print_lines
from ..options import AudienceOptions
from ..records import write_atomically
from ..scores import Run
from .results import GateCase, GateJudgement, RuleResult, RuleState
from .rules import seldom_seen

MOST_ANNOTATIONS = 10
MOST_CASES = 100
"""Conversations of one result in a summary; a report as JSON has all of them."""
MOST_COMMENT = 60_000
"""Bytes of a comment; GitHub takes 65,536 characters and GitLab a million."""
MARK = "<!-- crs-eval gate -->"
"""Marker by which later runs find the comment."""
# The gravest first: a sign for people, a style of a terminal, an element of JUnit XML.
LOOKS: Mapping[RuleState, tuple[str, str, str | None]] = {
    RuleState.FAIL: ("❌ fail", "red", "failure"),
    RuleState.ERROR: ("⚠️ error", "red", "error"),
    RuleState.INCONCLUSIVE: ("❔ inconclusive", "yellow", "skipped"),
    RuleState.NOT_LIMITED: ("· not limited", "dim", "skipped"),
    RuleState.PASS: ("✅ pass", "green", None),
    RuleState.SKIPPED: ("· skipped", "dim", "skipped"),
}
SIGNS = {state: sign for state, (sign, _, _) in LOOKS.items()}


def ordered(judgement: GateJudgement) -> list[RuleResult]:
    """The results, the gravest first, and faults before means."""
    states = list(LOOKS)
    return sorted(judgement.results, key=lambda result: (states.index(result.state), not result.about_faults))


def headline(judgement: GateJudgement) -> str:
    """Return what was judged, and the faults that no rule limits: a pass must not hide them."""
    if judgement.candidate is None:
        return "The conversations could not be judged."
    against = _against(judgement.candidate, judgement.baseline) if judgement.baseline else ""
    judged = (
        f"{counted(len(judgement.candidate.records), 'conversation')} of {judgement.candidate.name}{against}"
    )
    unlimited = [result.detail for result in judgement.results if result.state is RuleState.NOT_LIMITED]
    return " ".join(f"{sentence}." for sentence in (judged, *unlimited))


def _against(candidate: Run, baseline: Run) -> str:
    if baseline.name == candidate.name:
        return " against itself, so nothing can be worse"
    logs = [sorted(str(record.digest) for record in run.records) for run in (candidate, baseline)]
    same = ", which holds the same conversations" if logs[0] == logs[1] and "None" not in logs[0] else ""
    return f" against {baseline.name}{same}"


def limits(judgement: GateJudgement) -> str:
    """Return a sentence on the faults that the judge seldom sees; empty where there are none."""
    seen = seldom_seen(judgement.candidate) if judgement.candidate else {}
    listed = ", ".join(f"{fault} ({100 * share:.0f} %)" for fault, share in seen.items())
    return f"The embedded judge rarely finds: {listed}. A pass says nothing about these." if seen else ""


def summary(judgement: GateJudgement) -> str:
    """Render the whole judgement as Markdown."""
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
            lines += ["", f"<details><summary>{markdown(result.name)}: where it occurs</summary>", ""]
            lines += [
                f"- **{markdown(case.conversation, 120)}** {markdown(case.text, 400)}"
                for case in result.worst[:MOST_CASES]
            ]
            lines += [f"- and {more} more"] if (more := len(result.worst) - MOST_CASES) > 0 else []
            lines += ["", "</details>"]
    lines += ["", markdown(caveat)] if (caveat := limits(judgement)) else []
    return "\n".join(lines) + "\n"


def comment(judgement: GateJudgement) -> str:
    """Return the summary cut to a comment's limit: whole lines, and a note on what is missing."""
    text = summary(judgement)
    if len(text.encode()) <= MOST_COMMENT:
        return text
    kept = text.encode()[: MOST_COMMENT - 200].decode(errors="ignore").rpartition("\n")[0]
    closed = "\n\n</details>" if kept.count("<details>") > kept.count("</details>") else ""
    return f"{kept}{closed}\n\nThe rest is in the job's summary.\n"


def annotations(judgement: GateJudgement) -> Iterator[str]:
    """At most ten workflow commands for GitHub: each rule that did not pass, then the worst conversations."""
    levels = {RuleState.FAIL: "error", RuleState.ERROR: "error", RuleState.INCONCLUSIVE: "warning"}
    made = [
        f"::{levels[result.state]} title={_property(result.name)}::{_message(result.detail)}"
        for result in ordered(judgement)
        if result.state in levels
    ]
    made += [f"::warning::{_message(note)}" for note in judgement.notes]
    for case in shown_cases(judgement) if judgement.state is RuleState.FAIL else ():
        title = _property(f"{case.conversation}: {case.factor}")
        made.append(f"::error title={title}::{_message(case.text[:300])}")
    yield from made[:MOST_ANNOTATIONS]


def shown_cases(judgement: GateJudgement) -> list[GateCase]:
    """Return each conversation behind a failure once, or the largest falls if nothing failed. Those with
    faults come first, one per fault before any second, then the others, worst first."""
    failed = [result for result in judgement.results if result.state is RuleState.FAIL]
    ranked = [
        (not case.fault, place if case.fault else 0, -case.loss, case.conversation, case)
        for result in failed or judgement.results
        for place, case in enumerate(result.worst)
    ]
    found: dict[str, GateCase] = {}
    for *_, case in sorted(ranked, key=lambda one: one[:-1]):
        found.setdefault(case.conversation, case)
    return list(found.values())


def _message(text: str) -> str:
    # The runner reads a line as a command, so escape everything that could end ours and begin another.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def as_json(judgement: GateJudgement) -> str:
    """The judgement for programs."""
    return json_text({
        "verdict": judgement.state.value,
        "exit": int(judgement.exit),
        "candidate": judgement.candidate.name if judgement.candidate else None,
        "baseline": judgement.baseline.name if judgement.baseline else None,
        "notes": list(judgement.notes),
        "results": [_result(result) for result in judgement.results],
    })  # fmt: skip


def _result(result: RuleResult) -> dict[str, object]:
    d, change = result.difference, result.change
    return {
        "name": result.name,
        "factor": None if result.fault else result.factor,
        "fault": result.fault,
        "verdict": result.state.value,
        "detail": result.detail,
        "change": {
            **{name: getattr(change, name) for name in ("before", "now", "n", "gained", "lost", "p")},
            "p_adjusted": change.adjusted,
        }
        if change
        else None,
        "interval": {"low": d.low, "high": d.high, "level": 0.95} if d else None,
        "p_adjusted": d.adjusted if d else None,
        **{name: getattr(d, name, None) for name in ("loss", "p", "n")},
        "smallest_visible_drop": result.visible,
        "worst": [{"conversation": case.conversation, **case.json} for case in result.worst],
    }


def junit(judgement: GateJudgement) -> str:
    """The document. `skipped` carries whether a rule was inconclusive or not assessable at all."""
    root = ElementTree.Element("testsuites", {"name": "crs-eval"})
    cases = [
        JUnitCase(
            result.name,
            f"crs-eval.{'faults.' if result.fault else ''}{result.factor}",
            LOOKS[result.state][2],
            f"{result.state.value}: {result.detail}",
            "\n".join(f"{case.conversation}: {case.text}" for case in result.worst),
        )
        for result in judgement.results
    ]
    suite = junit_suite(root, "crs-eval gate", cases)
    root.attrib |= {name: count for name, count in suite.attrib.items() if name != "name"}
    properties = ElementTree.Element("properties")
    ElementTree.SubElement(properties, "property", {"name": "verdict", "value": judgement.state.value})
    suite.insert(0, properties)
    if judgement.notes:
        ElementTree.SubElement(suite, "system-out").text = xml("\n".join(judgement.notes))
    return xml_text(root)


def print_judgement(console: Console, judgement: GateJudgement) -> None:
    """Print the headline, the rules, the gravest first, then the reason for a stop, and the verdict."""
    if judgement.candidate is not None:
        print_lines(headline(judgement), to=console)
    rules = Table(title="Rules", title_justify="left", show_lines=False)
    for name in ("rule", "verdict", "why"):
        rules.add_column(name, no_wrap=name == "verdict")
    stop = str(judgement.error)
    for result in [one for one in ordered(judgement) if one.detail != stop]:
        sign, style, _ = LOOKS[result.state]
        rules.add_row(Text(result.name), Text(sign, style), Text(result.detail))
    if rules.row_count:
        console.print(rules)
    for case in shown_cases(judgement)[:5]:
        line = f"  {case.conversation}, {case.factor}: {case.text}"
        console.print(line, markup=False)
    if judgement.error is not None:
        print_lines(str(judgement.error), to=console)
    for note in judgement.notes:
        console.print(note, style="yellow", markup=False)
    if caveat := limits(judgement):
        print_lines(caveat, style="dim", to=console)
    sign, style, _ = LOOKS[judgement.state]
    console.print(f"Verdict: [bold {style}]{sign}[/]")


def gate_page(judgement: GateJudgement) -> str:
    """Render the judgement as an HTML document."""
    state = judgement.state
    parts = [
        f'<p class="{state.value}"><b>{SIGNS[state]}</b></p>',
        f"<p>{escape(headline(judgement))}</p>",
        *(f'<p class="dim">{escape(note)}</p>' for note in judgement.notes),
    ]
    rules = [(r.name, SIGNS[r.state], r.detail) for r in ordered(judgement)]
    parts.append(f"<h2>Rules</h2>{table(('rule', 'verdict', 'why'), rules)}")
    for result in filter(lambda one: one.worst, ordered(judgement)):
        cases = (f"<li><b>{escape(case.conversation)}</b> {escape(case.text)}</li>" for case in result.worst)
        title = f"<summary>{escape(result.name)}: where it occurs</summary>"
        parts.append(f"<details>{title}<ul>{''.join(cases)}</ul></details>")
    if caveat := limits(judgement):
        parts.append(f'<p class="dim">{escape(caveat)}</p>')
    return plain_page("Recommender quality", parts)


WRITERS: Mapping[str, Callable[[GateJudgement], str]] = {".json": as_json, ".md": summary, ".html": gate_page}


def publish(judgement: GateJudgement, audience: AudienceOptions, console: Console) -> None:
    """Write every requested file and annotation."""
    files = {path: by_suffix(path, WRITERS)(judgement) for path in audience.report or ()}
    files |= {audience.junit: junit(judgement)} if audience.junit else {}
    files |= {audience.comment: comment(judgement)} if audience.comment else {}
    for path, text in files.items():
        # A file's name may hold bytes that are not UTF-8.
        write_atomically(path, text.encode("utf-8", "replace").decode("utf-8"))
        console.print(f"Written: {path}", markup=False)
    if audience.step_summary is not None:
        with audience.step_summary.open("a", encoding="utf-8", errors="replace") as file:
            file.write(summary(judgement))
    if audience.annotate:
        for line in annotations(judgement):
            sys.stdout.write(f"{line}\n")
