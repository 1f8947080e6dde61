from pathlib import Path

import pytest

from service.errors import ConfigurationError
from service.faults import load_faults
from service.faults.fault import FOLDER
from service.faults.measured import FEWEST, load_measurements

FAULTS = load_faults()


@pytest.mark.parametrize(
    ("written", "instead", "place"),
    [
        ('definition = "', 'meaning = "', "meaning"),
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
    with pytest.raises(ConfigurationError, match=rf"rude\.toml, line \d+: {place}"):
        load_faults(tmp_path)


def test_measurements_name_known_faults_and_leave_small_samples_open() -> None:
    for slug, rows in load_measurements().items():
        assert slug in FAULTS
        for row in rows:
            assert (row.sensitivity is None) is (row.n < FEWEST)
