"""`crs-eval.toml`: defaults, rules, and mistakes that are named."""

from pathlib import Path
from typing import Any

import pytest

from service.cli.configuration import Configuration, load_configuration
from service.cli.exits import CommandError
from service.cli.judges import judges_in

GOOD = """
[score]
factors = ["coherence", "novelty"]
judge = "builtin"
[gate]
minimum_n = 50
[[gate.rules]]
factor = "coherence"
mean = 2.5
[[gate.rules]]
factor = "appropriateness"
share = 0.99
at_or_above = 3
[gate.regression]
margin = 0.3
[gate.regression.margins]
novelty = 0.5
"""


def test_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(GOOD)
    read = load_configuration(path)
    assert read.score.factors == ("coherence", "novelty")
    assert [rule.factor for rule in read.gate.rules] == ["coherence", "appropriateness"]
    regression = read.gate.regression
    assert [regression.margin_of(name) for name in ("coherence", "novelty", "mean")] == [0.3, 0.5, 0.15]


def test_without_a_file_there_are_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_configuration(None) == Configuration()
    (tmp_path / "crs-eval.toml").write_text("[gate]\nminimum_n = 7\n")
    assert load_configuration(None).gate.minimum_n == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[gate]\nminimun_n = 3", r"did you mean minimum_n"),
        ('[[gate.rules]]\nfactor = "x"', r"either `mean`, or `share`"),
        ('[[gate.rules]]\nfactor = "x"\nshare = 0.5', r"require each other"),
        ("[gate", r"not TOML"),
        ("a = " + "[" * 50_000, r"not TOML: it is nested too deeply"),
        ("[score]\nsamples = 0", r"score\.samples"),
        ("[score]\nfactors = 'core'", r"score\.factors: .* a valid array"),
        ('[[gate.rules]]\nfactor = "x"\nmean = true', r"gate\.rules\.0\.mean: .* a valid number"),
        ('[[gate.rules]]\nfactor = "x"\nmean = nan', r"gate\.rules\.0\.mean: .* a finite number"),
        ('[[gate.rules]]\nfactor = "x"\nmin = 2', r"rules\.0\.min is unknown; available: factor, mean,"),
        ('[gate.rules]\nfactor = "x"', r"start each rule with \[\[gate\.rules\]\]"),
        ("[gate]\nregression = 0.3", r"gate\.regression: .* a table, such as \[gate\.regression\]"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(CommandError, match=message):
        load_configuration(path)


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="does not exist"):
        load_configuration(tmp_path / "none.toml")


FILE = """
[score]
panel = ["local:a", "local:b"]
aggregate = "median"
mixture = "core"
[score.factor_judges]
coherence = "builtin"
[score.factor_panels]
groundness = ["builtin", "local:c"]
"""


def said(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "crs-eval.toml"
    path.write_text(FILE)
    return load_configuration(path).score.model_dump(exclude_none=True)


def test_a_judge_on_the_command_line_replaces_the_panel(tmp_path: Path) -> None:
    body = judges_in({"judge": "local:x"}, said(tmp_path))
    assert body["judge"] == "local:x"
    assert "panel" not in body
    assert "aggregate" not in body
    body = judges_in({"judge": None, "panel": ["local:x", "local:y"]}, {"judge": "builtin"})
    assert body["panel"] == ["local:x", "local:y"]
    assert "judge" not in body


def test_several_judges_of_one_factor_are_its_panel(tmp_path: Path) -> None:
    own = ["coherence=local:x", "coherence=local:y", "groundness=builtin", "novelty=org:a/b=c"]
    body = judges_in({"judge": None, "factor_judge": own}, said(tmp_path))
    assert body["factor_judges"] == {"groundness": "builtin", "novelty": "org:a/b=c"}
    assert body["factor_panels"] == {"coherence": ["local:x", "local:y"]}


@pytest.mark.parametrize("option", ["coherence", "=builtin", "coherence="])
def test_an_option_that_names_no_factor_is_refused(option: str) -> None:
    with pytest.raises(CommandError, match="FACTOR=NAME"):
        judges_in({"judge": None, "factor_judge": [option]}, {})
