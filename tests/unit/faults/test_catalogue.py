from pathlib import Path

import pytest

from service.domain.rubric import Protocol
from service.errors import ConfigurationError
from service.factors import load_factors
from service.faults import Detector, load_faults
from service.faults.fault import FOLDER
from service.faults.measured import FEWEST, load_measurements

FAULTS = load_faults()


def test_every_fault_lowers_factors_of_core_alone() -> None:
    assert len(FAULTS) == 35
    core = {factor.slug for factor in load_factors().of(Protocol.CORE)}
    assert all(set(fault.costs) <= core for fault in FAULTS.values())


@pytest.mark.parametrize("slug", sorted(FAULTS))
def test_an_entry_is_complete(slug: str) -> None:
    fault = FAULTS[slug]
    assert fault.home == next(iter(fault.costs))
    assert fault.costs[fault.home] == max(fault.costs.values())
    assert fault.certain is None or Detector.COMPUTED in fault.found_by
    assert bool(fault.example.bad) is (slug != "no-reply")
    assert fault.definition.endswith(".")
    assert not fault.wording.endswith(".")


@pytest.mark.parametrize(
    ("written", "instead", "place"),
    [
        ('definition = "', 'meaning = "', "definition"),
        ("cost = 3.5", "cost = 9", "cost"),
        ('found_by = ["learned"]', "found_by = []", "found_by"),
        ('slug = "rude"', 'slug = "other"', "slug"),
        ("context = false", 'context = false\ncertain = "always"', "the file"),
    ],
)
def test_an_incomplete_file_is_refused_by_field(
    tmp_path: Path, written: str, instead: str, place: str
) -> None:
    text = (FOLDER / "rude.toml").read_text()
    assert written in text
    (tmp_path / "rude.toml").write_text(text.replace(written, instead, 1))
    with pytest.raises(ConfigurationError, match=rf"rude\.toml: {place}"):
        load_faults(tmp_path)


def test_measurements_name_known_faults_and_leave_small_samples_open() -> None:
    for slug, rows in load_measurements().items():
        assert slug in FAULTS
        for row in rows:
            assert (row.sensitivity is None) is (row.n < FEWEST)
