from dataclasses import replace
from pathlib import Path

import pytest

from service.domain.rubric import Form, Need, Protocol, Variant
from service.errors import ConfigurationError
from service.factors import load_factors
from service.factors.catalogue import FOLDER
from service.factors.lists import checked_ladders

DOMAINS = {"movie", "book", "music", "restaurant", "shopping", "sport", "travel", "health", "other"}

CORE = [
    "coherence", "recoverability", "proactiveness",
    "grammatical-correctness", "naturalness", "appropriateness",
    "effectiveness", "novelty", "diversity",
    "semantic-relevance", "explainability", "groundness",
]  # fmt: skip


def test_core_has_its_twelve_factors_in_the_papers_order() -> None:
    assert [factor.slug for factor in load_factors().of(Protocol.CORE)][: len(CORE)] == CORE


@pytest.mark.parametrize("slug", CORE)
def test_every_core_factor_is_complete(slug: str) -> None:
    factor = load_factors()[slug]
    assert set(factor.levels) == {0, 1, 2, 3, 4}
    assert "other" in factor.notes
    assert set(factor.notes) <= DOMAINS
    assert factor.ladders
    assert Need.MESSAGES in factor.needs or Need.RECOMMENDATIONS in factor.needs


def test_every_domain_has_a_note_of_its_own_somewhere() -> None:
    noted = {domain for factor in load_factors().values() for domain in factor.notes}
    assert noted >= DOMAINS


def test_a_domain_without_a_note_gets_the_general_one() -> None:
    factor = load_factors()["groundness"]
    assert factor.note("gardening") == factor.notes["other"]
    assert factor.note("Health") == factor.notes["health"]


@pytest.mark.parametrize("slug", CORE)
def test_every_departure_from_the_paper_is_declared(slug: str) -> None:
    factor = load_factors()[slug]
    published = factor.read_as(Variant.PUBLISHED)
    assert factor.deviations
    assert factor.read_as(Variant.CRS_EVAL) is factor
    # Notes by domain are ours, but for the dimensions that the paper names.
    named = {"movie", "book", "restaurant", "shopping", "other"} if slug == "diversity" else set()
    assert set(published.notes) == named


def test_the_papers_reading_of_the_factors_that_the_first_release_read_otherwise() -> None:
    factors = load_factors()

    def steps(slug: str, variant: Variant) -> str:
        return " ".join(factors[slug].read_as(variant).steps)

    for variant in Variant:
        assert "recommendation that only answers a request does not guide" in steps("proactiveness", variant)
        assert "garbled name or title is an error if nothing by that name exists" in steps(
            "grammatical-correctness", variant
        )
        assert "recommends by its list alone gives none" in steps("explainability", variant)
    assert "nothing supports and nothing refutes is not an error" in steps("groundness", Variant.CRS_EVAL)
    assert "claims that no reliable source supports" in steps("groundness", Variant.PUBLISHED)
    assert "below 50%" in steps("novelty", Variant.CRS_EVAL)
    assert "coverage in the media" in steps("novelty", Variant.PUBLISHED)


@pytest.mark.parametrize("slug", CORE)
def test_every_core_factor_has_contrasting_worked_examples(slug: str) -> None:
    factors = load_factors()
    factor = factors[slug]
    assert [anchor.level for anchor in factor.anchors] == [0, 2, 4]
    assert factor.contrast
    assert factor.contrast.factor in CORE
    assert factor.contrast.factor != slug
    assert factor.read_as(Variant.PUBLISHED).anchors == ()


def test_a_worked_example_of_a_level_off_the_scale_is_refused(tmp_path: Path) -> None:
    assert "outside the scale: [9]" in _break(tmp_path, "[[anchors]]\nlevel = 0", "[[anchors]]\nlevel = 9")


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
    ],
)
def test_a_list_that_code_could_not_count_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert message in _break(tmp_path, old, new)


def test_ladders_that_run_the_wrong_way_for_a_list_are_refused() -> None:
    factor = load_factors()["novelty"]
    assert factor.itemised
    counted = replace(factor.itemised, form=Form.OBJECTIONS)
    with pytest.raises(ValueError, match=r"ladders\.count must have steps with at_most"):
        checked_ladders(counted, factor.ladders)


def test_levels_that_the_published_reading_leaves_out_are_refused(tmp_path: Path) -> None:
    message = _break(tmp_path, "[published]", '[published]\nlevels = { 0 = "None." }')
    assert "published.levels must define [0, 1, 2, 3, 4]" in message


def _break(tmp_path: Path, old: str, new: str) -> str:
    folder = tmp_path / "core"
    folder.mkdir()
    text = (FOLDER / "core" / "novelty.toml").read_text()
    assert old in text
    (folder / "novelty.toml").write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError) as caught:
        load_factors(tmp_path)
    return str(caught.value)


def test_a_file_that_is_not_toml_stops_the_start_with_name_and_line(tmp_path: Path) -> None:
    message = _break(tmp_path, 'name = "Novelty"', 'name = "Novelty')
    assert "novelty.toml" in message
    assert "line 2" in message


def test_a_misspelt_field_stops_the_start_with_name_and_line(tmp_path: Path) -> None:
    message = _break(tmp_path, "definition =", "definiton =")
    assert "novelty.toml, line" in message
    assert "defini" in message


def test_rubrics_name_a_level_for_logs_that_give_no_occasion_as_their_paper_does() -> None:
    factors = load_factors().values()
    ours = {f.slug: f.no_occasion for f in factors if f.no_occasion is not None}
    assert ours == {"semantic-relevance": 0}
    published = {f.slug: f.published.no_occasion for f in factors if f.published}
    assert {slug: level for slug, level in published.items() if level is not None} == {
        "recoverability": 4,
        "semantic-relevance": 0,
    }


def test_a_level_for_no_occasion_outside_the_scale_is_refused(tmp_path: Path) -> None:
    message = _break(tmp_path, 'source = "', 'no_occasion = 7\nsource = "')
    assert "no_occasion is 7" in message


def test_a_missing_level_is_named(tmp_path: Path) -> None:
    assert "levels must define [0, 1, 2, 3, 4]" in _break(tmp_path, '0 = "No little-known item."\n', "")


def test_a_ladder_out_of_order_is_refused_with_its_line(tmp_path: Path) -> None:
    message = _break(tmp_path, '"1/4", level = 3', '"3/4", level = 3')
    line = int(message.split("line ")[1].split(":")[0])
    text = (FOLDER / "core" / "novelty.toml").read_text().splitlines()
    assert text[line - 1].startswith(("[ladders.share]", "steps"))
    assert "best level down" in message


def test_a_step_with_two_bounds_is_refused(tmp_path: Path) -> None:
    assert "exactly one of" in _break(tmp_path, "{ at_least = 10,", "{ at_least = 10, above = 9,")


def test_a_file_in_the_wrong_place_is_refused(tmp_path: Path) -> None:
    assert "its place says core/novelty" in _break(tmp_path, 'slug = "novelty"', 'slug = "diversity"')


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no factor files"):
        load_factors(tmp_path)
