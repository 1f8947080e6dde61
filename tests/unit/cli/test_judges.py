"""The judges that a command asks: options over what `crs-eval.toml` says."""

from pathlib import Path
from typing import Any

import pytest

from service.cli.configuration import load_configuration
from service.cli.exits import CommandError
from service.cli.judges import judges_in, judges_named

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


def options(**given: Any) -> dict[str, Any]:
    return {"judge": None, **given}


def test_the_file_names_panels_and_a_mixture(tmp_path: Path) -> None:
    body = judges_in(options(), said(tmp_path))
    assert body == said(tmp_path)
    named = judges_named(body)
    assert named[:5] == ["local:a", "local:b", "builtin", "local:c", "openai:gpt-4o-mini"]
    assert len(named) == len(set(named))


def test_a_judge_on_the_command_line_replaces_the_panel(tmp_path: Path) -> None:
    body = judges_in(options(judge="local:x"), said(tmp_path))
    assert body["judge"] == "local:x"
    assert "panel" not in body
    assert "aggregate" not in body
    body = judges_in(options(panel=["local:x", "local:y"]), {"judge": "builtin"})
    assert body["panel"] == ["local:x", "local:y"]
    assert "judge" not in body


def test_several_judges_of_one_factor_are_its_panel(tmp_path: Path) -> None:
    own = ["coherence=local:x", "coherence=local:y", "groundness=builtin", "novelty=org:a/b=c"]
    body = judges_in(options(factor_judge=own), said(tmp_path))
    assert body["factor_judges"] == {"groundness": "builtin", "novelty": "org:a/b=c"}
    assert body["factor_panels"] == {"coherence": ["local:x", "local:y"]}


@pytest.mark.parametrize("option", ["coherence", "=builtin", "coherence="])
def test_an_option_that_names_no_factor_is_refused(option: str) -> None:
    with pytest.raises(CommandError, match="FACTOR=NAME"):
        judges_in(options(factor_judge=[option]), {})
