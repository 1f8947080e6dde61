"""Options of `simulate` that its kinds of users do not have."""

import json
from pathlib import Path

import pytest

from tests.forked import crs_eval


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--factors", "novelty"), "requires --crs"),
        (("--set", "max_rounds=60"), "50"),
        (("--set", "items_on_screen=3"), "no setting of scripted 'items_on_screen'"),
    ],
)
def test_wrong_options_are_told(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    user = {
        "id": "a",
        "user": {"persona": "trust"},
        "messages": [{"role": "user", "content": "A film, please."}],
    }
    (tmp_path / "logs.jsonl").write_text(json.dumps(user))
    done = crs_eval("simulate", "logs.jsonl", *options, cwd=tmp_path)
    said = " ".join(done.stderr.split())
    assert (done.returncode, message in said) == (2, True), said
