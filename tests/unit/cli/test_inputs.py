"""Logs from files, folders and standard input, and every place that holds none."""

import io
import json
from pathlib import Path

import pytest

from service.cli.inputs import read_logs
from service.cli.stopping import CommandError

LOG = {"messages": [{"role": "user", "content": "Hi\u2028there"}]}


def _names(*paths: Path) -> list[str]:
    return [source.conversation for source in read_logs([str(path) for path in paths])[0]]


def test_lines_arrays_and_single_logs_are_read_alike(tmp_path: Path) -> None:
    lines, array, single = tmp_path / "a.jsonl", tmp_path / "b.json", tmp_path / "c.json"
    # A line separator inside a string, raw, ends no line.
    lines.write_text("\n\n".join(json.dumps({"id": name, **LOG}, ensure_ascii=False) for name in "xy"))
    array.write_text(json.dumps([{"id": "p", **LOG}, {"id": "q", **LOG}], indent=1))
    single.write_text(json.dumps({"log": {"id": "one", **LOG}, "catalog": "films"}, indent=1))
    assert _names(lines, array, single) == ["x", "y", "p", "q", "one"]
    assert _names(tmp_path) == ["x", "y", "p", "q", "one"]
    assert read_logs([str(single)])[0][0].catalog == "films"


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(LOG).encode())))
    (source,) = read_logs(["-"])[0]
    assert source.place == "stdin"
    assert source.conversation == "line-1"


def test_every_place_without_a_log_is_named(tmp_path: Path) -> None:
    file = tmp_path / "logs.jsonl"
    good = json.dumps({"id": "good", **LOG})
    file.write_text(
        "\n".join([good, "{broken", '"text"', '{"message": 1}', json.dumps({"id": "good", **LOG})])
    )
    with pytest.raises(CommandError) as told:
        read_logs([str(file)])
    for number, reason in ((2, "not JSON"), (3, "not a JSON object"), (4, "no log"), (5, "its id 'good'")):
        assert f"{file}:{number}: {reason}" in str(told.value)
    sources, faults = read_logs([str(file)], skip_unreadable=True)
    assert len(sources) == 1
    assert len(faults) == 4


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "logs.jsonl"
    file.write_bytes(b"\xff\xfe{}")
    with pytest.raises(CommandError, match="not UTF-8 at byte 0"):
        read_logs([str(file)])


@pytest.mark.parametrize("path", ["nowhere.jsonl", "."])
def test_a_path_without_files_says_so(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"does not exist|holds no"):
        read_logs([path])
