"""Every lexicon is whole; `tests/linear` shows that none can be made to run for long."""

import tomllib

import pytest

from service.text.lexicon import load, source


@pytest.mark.parametrize(
    "name", ["acts", "courtesy", "degenerate", "grammar", "languages", "reactions", "reasons", "topics"]
)
def test_lexicons_parse(name: str) -> None:
    assert tomllib.loads(source(name)) == load(name)
