"""No pattern of the project takes more than linear time, on any Python that may run it."""

import json
import re
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from tests.linear import pump
from tests.linear.discovery import Found, found

#: Debian's own Python, which matches some patterns in its own way.
SYSTEM = Path("/usr/bin/python3")
ONE = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}


@pytest.fixture(scope="module")
def patterns() -> list[Found]:
    return found()


def interpreters() -> list[str]:
    """This Python, and the system's where it is another one that can run the service."""
    program = "import sys; print(sys.version); print(sys.version_info >= (3, 11))"
    known = [sys.executable]
    if SYSTEM.exists():
        version, enough = subprocess.check_output([SYSTEM, "-c", program], text=True).rsplit("\n", 2)[:2]
        if enough == "True" and version != sys.version:
            known.append(str(SYSTEM))
    return known


AT_NIGHT = (pytest.mark.slow, pytest.mark.nightly)


@pytest.mark.parametrize("half", [0, pytest.param(1, marks=AT_NIGHT)])
@pytest.mark.parametrize("python", interpreters())
def test_no_pattern_grows_faster_than_its_text(python: str, half: int, patterns: list[Found]) -> None:
    asked = json.dumps([astuple(each) for each in patterns[half::2]])
    done = subprocess.run([python, pump.__file__], input=asked, stdout=subprocess.PIPE, text=True, check=True)
    slow = json.loads(done.stdout)
    assert not slow, f"name, pattern and text of those that grow faster: {slow}"


GROWING = (
    r"\s*\(",
    r"(?:a|aa)+b",
    r"x (?:\w+ ?)+!",
    r"<[^>]*>",
    r"\d{1,3}(?:,\d{3})+ usd",
    r"[.!?]+(?=\s)",
    r"\b(?=[0-9@]*[A-Za-z])[A-Za-z0-9@]{3,24}\b",
    r"(?:[\[<{(]{2,}|<!?-*)\s*/?\w{0,12}[_ -]?log[_ -]end\b",
    r"score\s*[\"']?\s*:",
)


@pytest.mark.parametrize(
    "pattern", [pytest.param(one, marks=AT_NIGHT if at % 3 else ()) for at, one in enumerate(GROWING)]
)
def test_what_grows_is_found(pattern: str) -> None:
    assert pump.find_slow([("file", "name", pattern, int(re.MULTILINE))])


def test_patterns_are_found_wherever_they_stand(patterns: list[Found]) -> None:
    names = "\n".join(each.name for each in patterns)
    of_modules = ("service.grounding.money._MOST", "service.catalogue.title_guesses._OFFER[0]", "_ACCEPTABLE")
    elsewhere = ("service.prompt_injection.disguises:", "_FAMILIES[0]", "steering.structures.patterns[8]")
    assert not [name for name in (*of_modules, *elsewhere) if name not in names]
    assert any(
        "recoverability" in each.pattern for each in patterns if each.name.startswith("steering.english")
    )


def test_no_group_is_repeated_possessively(patterns: list[Found]) -> None:
    """Debian 12's Python (3.11.2) finds other matches than it should for `(?:ab)++`; for `a++` and `[ab]++` it finds the same."""
    wrong = [
        each.name for each in patterns if _has_possessive_group(pump._parser.parse(each.pattern, each.flags))
    ]
    assert not wrong, f"write (?>(?:...)+) instead: {wrong}"


def test_a_possessive_group_is_found() -> None:
    parsed = [
        pump._parser.parse(pattern)
        for pattern in (r"x(?:y(?:ab)*+)?", r"x(?:y[ab]*+)?", r"x(?:y(?>(?:ab)*))?")
    ]
    assert [_has_possessive_group(each) for each in parsed] == [True, False, False]


def _has_possessive_group(sequence: Any) -> bool:
    for kind, value in sequence:
        if kind is pump._constants.POSSESSIVE_REPEAT and [str(one) for one, _ in value[2]] not in (
            [one] for one in ONE
        ):
            return True
        inside = value[1] if kind is pump._constants.BRANCH else [pump.inner(kind, value)]
        if any(map(_has_possessive_group, inside)):
            return True
    return False
