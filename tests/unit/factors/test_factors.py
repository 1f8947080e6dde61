"""Factors of an operator's own: what their files hold, and what is refused with name and line."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from service.domain.conversation import ConversationLog, Message, Role
from service.domain.rubric import Form
from service.errors import ConfigurationError
from service.factors import load_factors
from service.factors.catalogue import FOLDER
from service.factors.document import checked_ladders
from service.judges.evaluation import JudgeInput
from service.judges.llm.answer import RatedAnswer, Unreadable
from service.judges.llm.itemised.entries import read_entries
from service.judges.llm.itemised.outline import outline_of
from service.judges.llm.itemised.scoring import score_items
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


def test_the_list_that_the_page_about_own_factors_shows_can_be_climbed(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "custom-factors.md").read_text(encoding="utf-8")
    whole, listed = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[:2]
    factor = load_factors(own=written(tmp_path / "own", whole + listed))["brand-voice"]
    log = ConversationLog(
        messages=tuple(Message(role, "Sure thing!") for role in (Role.USER, Role.ASSISTANT) * 2)
    )
    judge_input = JudgeInput(log)
    entries = [{"message": at, "why": "warm", "on_brand": at == 1} for at in (1, 3)]
    outline = outline_of(judge_input)
    found = read_entries(json.dumps({"items": entries}), [factor], outline)["brand-voice"]
    assert not isinstance(found, Unreadable)
    reading = instance(RatedAnswer, score_items(found.entries, factor, judge_input, outline))
    assert (reading.score, reading.rationale) == (1, "1 of 2 replies sound like our brand.\n- [3] warm")


@pytest.mark.parametrize(
    ("slug", "reason"), [("coherence", "already"), ("core", "protocol"), ("custom-x", "callers")]
)
def test_taken_names_are_refused(tmp_path: Path, slug: str, reason: str) -> None:
    folder = written(tmp_path / "own", SHORT.replace("brand-voice", slug), f"{slug}.toml")
    with pytest.raises(ConfigurationError, match=reason):
        load_factors(own=folder)


def test_an_empty_folder_is_reported(tmp_path: Path) -> None:
    for folders in ({"own": tmp_path}, {"folder": tmp_path}):
        with pytest.raises(ConfigurationError, match="no factor files"):
            load_factors(**folders)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[ladders.share]", "[ladders.part]", "climbs ladders.share, which is not there"),
        (
            'holds = { key = "little_known"',
            'applies = { key = "little_known"',
            "familiarity needs keys.holds",
        ),
        ('form = "familiarity"', 'form = "faults"', "faults needs keys.quote"),
        ('form = "familiarity"', 'form = "guess"', "itemised.form"),
        ("[[anchors]]\nlevel = 0", "[[anchors]]\nlevel = 9", "outside the scale: [9]"),
        (
            "[published]",
            '[published]\nlevels = { 0 = "None." }',
            "published.levels must define [0, 1, 2, 3, 4]",
        ),
        ('name = "Novelty"', 'name = "Novelty', "line 2"),
        ("definition =", "definiton =", "novelty.toml, line"),
        ('source = "', 'no_occasion = 7\nsource = "', "no_occasion is 7"),
        ('0 = "No little-known item."\n', "", "levels must define [0, 1, 2, 3, 4]"),
        ('"1/4", level = 3', '"3/4", level = 3', "best level down"),
        ("{ at_least = 10,", "{ at_least = 10, above = 9,", "exactly one of"),
        ('slug = "novelty"', 'slug = "diversity"', "its place says core/novelty"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (FOLDER / "core" / "novelty.toml").read_text()
    assert old in text
    written(tmp_path / "core", text.replace(old, new), "novelty.toml")
    with pytest.raises(ConfigurationError) as caught:
        load_factors(tmp_path)
    assert message in str(caught.value)


def test_ladders_that_run_the_wrong_way_for_a_list_are_refused() -> None:
    factor = load_factors()["novelty"]
    assert factor.itemised
    counted = replace(factor.itemised, form=Form.OBJECTIONS)
    with pytest.raises(ValueError, match=r"ladders\.count must have steps with at_most"):
        checked_ladders(counted, factor.ladders)
