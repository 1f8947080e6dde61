"""Published figures of CONCEPT's groups against the means and deviations that the paper prints beside them."""

from statistics import fmean, pstdev

import pytest

from service.cli.studies.papers import pictures, published, source
from service.cli.studies.parts.concept_tables import printed_by

SPREAD = ("mean", "standard deviation")
TABLES = [
    ("overall", "attributes"),
    ("success", "age_group"),
    ("success", "persona"),
    ("success", "attributes"),
]


@pytest.mark.parametrize(("kind", "label"), TABLES)
@pytest.mark.parametrize(("dataset", "groups"), [("ReDial", 19), ("OpenDialKG", 16)])
def test_groups_add_up_to_what_the_paper_prints(kind: str, label: str, dataset: str, groups: int) -> None:
    rows = published("concept")[kind][label]["rows"][dataset]
    single = [values for name, values in rows.items() if name not in SPREAD]
    assert len(single) == {"age_group": 4, "persona": 12, "attributes": groups}[label]
    for place, column in enumerate(zip(*single, strict=True)):
        # Groups are printed with two digits, and their mean and deviation too.
        assert fmean(column) == pytest.approx(rows["mean"][place], abs=0.016)
        assert pstdev(column) == pytest.approx(rows["standard deviation"][place], abs=0.016)


def test_a_row_is_as_long_as_its_head() -> None:
    for kind, label in [*TABLES, ("overall", "age_group"), ("overall", "persona")]:
        sheet = printed_by(kind, label)
        assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
        assert sheet.folded
        assert sheet.source == source("concept", published("concept")[kind][label]["place"])


def test_figures_of_ievalm_stand_under_their_systems() -> None:
    found = published("ievalm")
    columns = found["recall"]["columns"]
    for name, values in found["recall"]["rows"].items():
        # ChatGPT, the last three, has no Recall@50.
        assert len(values) == len(columns) - 3 * name.endswith("@50")
    at = columns.index("ChatGPT, attributes")
    assert found["recall"]["rows"]["ReDial, Recall@10"][at] == 0.536
    assert {len(values) for values in found["persuasiveness"]["rows"].values()} == {4}


def test_pictures_are_told_of() -> None:
    sheet = pictures("alignment")
    assert sheet is not None
    assert sheet.rows[0][0] == "figure 1"
    assert "no value is printed" in str(sheet.rows[0][2])
    assert {
        name for name in ("core", "concept", "pepper", "alignment", "ievalm") if pictures(name) is None
    } == {"ievalm"}
