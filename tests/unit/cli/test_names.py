"""Names that nobody knows: told once, with the nearest that is known."""

import pytest

from service.cli.names import check_names
from service.cli.stopping import CommandError

KNOWN = ["core", "coherence", "openai:*"]


def test_known_names_and_patterns_pass() -> None:
    check_names("factor", ["coherence", "openai:gpt"], KNOWN)


@pytest.mark.parametrize(
    ("name", "told"),
    [("coherense", "Did you mean 'coherence'?"), ("zzz", "Known here: core, coherence, openai:*.")],
)
def test_an_unknown_name_is_told_with_the_nearest(name: str, told: str) -> None:
    with pytest.raises(CommandError, match="There is no factor") as error:
        check_names("factor", ["core", name], KNOWN)
    assert repr(name) in str(error.value)
    assert told in str(error.value)


def test_of_many_names_some_are_told() -> None:
    with pytest.raises(CommandError) as error:
        check_names("factor", ["x"], [f"name-{number}" for number in range(500)])
    assert len(str(error.value)) < 600
