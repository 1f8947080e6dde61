"""Files that are no bundle of a study."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.studies.bundle import SUMS, verify


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({}, "holds no run of a study"),
        ({"study.json": b"{}"}, "holds no run of a study"),
        ({"study.json": b"no JSON"}, "holds no run of a study"),
    ],
)
def test_a_bundle_of_something_else_is_refused(tmp_path: Path, parts: dict[str, bytes], told: str) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
        sums = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in parts.items()]
        file.writestr(SUMS, "".join(sums))
    with pytest.raises(CommandError, match=told):
        verify(tmp_path / "b.zip")


def test_a_part_that_nobody_packed_is_not_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as file:
        file.writestr("more.json", "{}")
    with pytest.raises(CommandError, match=r"more\.json is not what was packed"):
        verify(tmp_path / "b.zip")
    (tmp_path / "b.zip").write_text("text")
    with pytest.raises(CommandError, match="no bundle of a study"):
        verify(tmp_path / "b.zip")
