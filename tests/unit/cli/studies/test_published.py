"""Published figures of CONCEPT's groups against the means and deviations that the paper prints beside them."""

from statistics import fmean, pstdev

import pytest

from service.cli.studies.papers import published

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
