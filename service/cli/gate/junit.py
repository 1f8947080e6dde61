"""JUnit XML: a rule is a test case; failures, errors and what was not decided stand apart."""

from xml.etree import ElementTree

from ..safe_text import xml
from .results import GateJudgement, RuleResult, RuleState

_ELEMENTS = {
    RuleState.FAIL: "failure",
    RuleState.ERROR: "error",
    RuleState.INCONCLUSIVE: "skipped",
    RuleState.SKIPPED: "skipped",
}


def junit(judgement: GateJudgement) -> str:
    """The document. `skipped` carries whether a rule was inconclusive or not assessable at all."""
    states = [result.state for result in judgement.results]
    counts = {
        "tests": len(states),
        "failures": states.count(RuleState.FAIL),
        "errors": states.count(RuleState.ERROR),
        "skipped": states.count(RuleState.INCONCLUSIVE) + states.count(RuleState.SKIPPED),
    }
    numbers = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "crs-eval", **numbers})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "crs-eval gate", **numbers})
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", {"name": "verdict", "value": judgement.state.value})
    for result in judgement.results:
        _case(suite, result)
    if judgement.notes:
        ElementTree.SubElement(suite, "system-out").text = xml("\n".join(judgement.notes))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _case(suite: ElementTree.Element, result: RuleResult) -> None:
    subject = f"faults.{result.factor}" if result.fault else result.factor
    name = {"name": xml(result.name), "classname": f"crs-eval.{xml(subject)}", "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", name)
    told = xml(f"{result.state.value}: {result.detail}")
    if (element := _ELEMENTS.get(result.state)) is not None:
        child = ElementTree.SubElement(case, element, {"message": told})
        child.text = xml("\n".join(f"{case.conversation}: {case.text}" for case in result.worst)) or None
    else:
        ElementTree.SubElement(case, "system-out").text = told
