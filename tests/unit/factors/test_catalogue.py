from dataclasses import replace
from pathlib import Path

import pytest

from service.domain.rubric import Form
from service.errors import ConfigurationError
from service.factors import load_factors
from service.factors.catalogue import FOLDER
from service.factors.lists import checked_ladders


def test_a_domain_without_a_note_gets_the_general_one() -> None:
    factor = load_factors()["groundness"]
    assert factor.note("gardening") == factor.notes["other"]
    assert factor.note("Health") == factor.notes["health"]


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
    assert message in _break(tmp_path, old, new)


def test_ladders_that_run_the_wrong_way_for_a_list_are_refused() -> None:
    factor = load_factors()["novelty"]
    assert factor.itemised
    counted = replace(factor.itemised, form=Form.OBJECTIONS)
    with pytest.raises(ValueError, match=r"ladders\.count must have steps with at_most"):
        checked_ladders(counted, factor.ladders)


def _break(tmp_path: Path, old: str, new: str) -> str:
    folder = tmp_path / "core"
    folder.mkdir()
    text = (FOLDER / "core" / "novelty.toml").read_text()
    assert old in text
    (folder / "novelty.toml").write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError) as caught:
        load_factors(tmp_path)
    return str(caught.value)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no factor files"):
        load_factors(tmp_path)
