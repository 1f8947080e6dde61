"""Factors of an operator's own: what their files hold, and what is refused with name and line."""

import json
import re
from pathlib import Path

import pytest

from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Need, Protocol, Scale
from service.errors import ConfigurationError
from service.factors import load_factors
from service.judges.inquiry import Case
from service.judges.llm.answer import Reading, Unreadable
from service.judges.llm.itemised.climbing import climb
from service.judges.llm.itemised.entries import read_entries
from service.judges.llm.itemised.outline import outline_of
from tests.factories import instance

SHORT = """
slug = "brand-voice"
definition = "Do the replies sound like our brand?"
weight = 2

[levels]
0 = "No reply does."
1 = "Some do."
2 = "All do."
"""


def written(folder: Path, text: str, name: str = "brand-voice.toml") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def test_slug_definition_and_levels_are_enough(tmp_path: Path) -> None:
    factors = load_factors(own=written(tmp_path / "own", SHORT))
    factor = factors["brand-voice"]
    assert (factor.protocol, factor.name, factor.scale) == (Protocol.CUSTOM, "Brand voice", Scale(0, 2))
    assert factor.needs == (Need.MESSAGES,)
    assert factor.weight == 2
    assert list(factors)[-1] == "brand-voice"
    assert factors.of(Protocol.CUSTOM) == (factor,)
    assert len(factors) == len(load_factors()) + 1


def test_the_list_that_the_page_about_own_factors_shows_can_be_climbed(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "custom-factors.md").read_text(encoding="utf-8")
    whole, listed = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[:2]
    factor = load_factors(own=written(tmp_path / "own", whole + listed))["brand-voice"]
    log = ConversationLog(
        messages=tuple(Message(role, "Sure thing!") for role in (Role.USER, Role.ASSISTANT) * 2)
    )
    case = Case(log)
    entries = [{"message": at, "why": "warm", "on_brand": at == 1} for at in (1, 3)]
    outline = outline_of(case)
    found = read_entries(json.dumps({"items": entries}), [factor], outline)["brand-voice"]
    assert not isinstance(found, Unreadable)
    reading = instance(Reading, climb(found.entries, factor, case, outline))
    assert (reading.score, reading.rationale) == (1, "1 of 2 replies sound like our brand.\n- [3] warm")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SHORT.replace("definition", "definiton"), "line 3: definiton"),
        (SHORT.replace("weight = 2", "weight = 0"), "line 4: weight"),
        (SHORT.replace("weight = 2", "scale = { min = 0, max = 4 }"), "levels must define"),
        (SHORT.replace("1 = ", "x = "), "line"),
        (SHORT.replace("weight = 2", "weight ="), "not TOML"),
        (SHORT.replace('slug = "brand-voice"', 'slug = "other"'), "its place says custom/brand-voice"),
        (SHORT.replace("weight = 2", 'protocol = "core"'), "line 4: protocol"),
        ("", "slug"),
    ],
)
def test_a_broken_file_stops_the_start(tmp_path: Path, text: str, told: str) -> None:
    folder = written(tmp_path / "own", text)
    with pytest.raises(ConfigurationError) as error:
        load_factors(own=folder)
    assert str(folder / "brand-voice.toml") in str(error.value)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("slug", "told"), [("coherence", "already"), ("core", "protocol"), ("custom-x", "callers")]
)
def test_taken_names_are_refused(tmp_path: Path, slug: str, told: str) -> None:
    folder = written(tmp_path / "own", SHORT.replace("brand-voice", slug), f"{slug}.toml")
    with pytest.raises(ConfigurationError, match=told):
        load_factors(own=folder)


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no factor files"):
        load_factors(own=tmp_path)
