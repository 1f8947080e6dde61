"""Files as bytes: gzip wherever a file is read, and every way in which one cannot be read."""

import gzip
import io
import json
from pathlib import Path

import pytest

from service.cli.configuration import load_configuration
from service.cli.exits import CommandError
from service.cli.files import IMPORTED_SUFFIXES, FileError, contents, read_content
from service.cli.inputs import read_logs
from service.cli.records import stored_records
from service.cli.scores import is_results, load_run
from service.importing.imported import Wanted
from service.importing.importer import Import
from tests.unit.cli.making import record

LINES = "".join(
    json.dumps({"id": str(number), "messages": [{"role": "user", "content": "Hi"}]}) + "\n"
    for number in range(1000)
).encode()


def _put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_gzip_is_read_by_its_first_bytes_whatever_the_name(tmp_path: Path) -> None:
    half = LINES.index(b"\n", len(LINES) // 2) + 1
    members = gzip.compress(LINES[:half]) + gzip.compress(LINES[half:])
    for name, content in (("a.jsonl", gzip.compress(LINES)), ("b.jsonl.gz", members), ("c.gz", LINES)):
        assert len(read_logs([str(_put(tmp_path / name, content))])[0]) == 1000
    (tmp_path / "a.jsonl").unlink()
    assert len(read_logs([str(tmp_path)])[0]) == 1000  # a folder's .jsonl.gz


def test_standard_input_may_be_gzip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LINES))))
    assert len(read_logs(["-"])[0]) == 1000


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (gzip.compress(LINES)[:-20], "gzip that is cut short"),
        (gzip.compress(gzip.compress(LINES)), "gzip inside gzip"),
        (b"\x1f\x8b" + bytes(40), "damaged gzip"),
        (gzip.compress(LINES)[:-8] + bytes(8), "damaged gzip: CRC"),
    ],
)
def test_gzip_that_cannot_be_read_is_named_in_a_line(tmp_path: Path, content: bytes, told: str) -> None:
    bad, good = _put(tmp_path / "bad.jsonl.gz", content), _put(tmp_path / "good.jsonl", LINES)
    with pytest.raises(FileError, match=told):
        read_content(bad)
    with pytest.raises(CommandError) as error:
        read_logs([str(bad), str(good)])
    assert f"{bad}: {told}" in str(error.value)
    sources, faults = read_logs([str(bad), str(good)], skip_unreadable=True)
    assert (len(sources), len(faults)) == (1000, 1)


def test_every_other_file_may_be_gzip(tmp_path: Path) -> None:
    results = _put(tmp_path / "r.jsonl", gzip.compress(record("a", {"coherence": 3}).line().encode()))
    assert is_results(str(results))
    assert load_run(str(results)).conversations == ["a"]
    assert list(stored_records(results)) == ["digest-a"]
    toml = _put(tmp_path / "crs-eval.toml", gzip.compress(b"[gate]\nminimum_n = 7\n"))
    assert load_configuration(toml).gate.minimum_n == 7
    rows = _put(tmp_path / "own.csv.gz", gzip.compress(b"conversation,role,content\nc1,user,Hi\n"))
    assert [
        one.log["id"] for one in Import(contents([str(rows)], [], IMPORTED_SUFFIXES), "csv", Wanted()).logs()
    ] == ["c1"]
