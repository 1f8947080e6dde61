"""Logs from files, folders and standard input, and every place that holds none."""

import gzip
import io
import json
from pathlib import Path

import pytest

from service.cli.exits import CommandError
from service.cli.files import FileError, read_content
from service.cli.importing.reading import imported
from service.cli.inputs import read_logs
from tests.unit.cli.making import record

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


def test_every_place_without_a_log_is_named(tmp_path: Path) -> None:
    file = tmp_path / "logs.jsonl"
    good = json.dumps({"id": "good", **LOG})
    file.write_text(
        "\n".join([good, "{broken", '"text"', '{"message": 1}', json.dumps({"id": "good", **LOG})])
    )
    with pytest.raises(CommandError) as error:
        read_logs([str(file)])
    for number, reason in ((2, "not JSON"), (3, "not a JSON object"), (4, "no log"), (5, "its id 'good'")):
        assert f"{file}:{number}: {reason}" in str(error.value)
    sources, faults = read_logs([str(file)], skip_unreadable=True)
    assert len(sources) == 1
    assert len(faults) == 4


def test_one_bad_byte_loses_the_entry_it_stands_in_alone(tmp_path: Path) -> None:
    lines = [json.dumps({"id": name, **LOG}, ensure_ascii=False).encode() for name in "abc"]
    lines[1] = lines[1].replace(b"there", b"th\xe8re")
    for name, content in (("l.jsonl", b"\n".join(lines)), ("a.json", b"[" + b",\n".join(lines) + b"]")):
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(CommandError, match=r"not UTF-8 at") as error:
            read_logs([str(file)])
        assert "\n" not in str(error.value).partition("\nFix them")[0]
        sources, faults = read_logs([str(file)], skip_unreadable=True)
        assert [source.conversation for source in sources] == ["a", "c"]
        assert len(faults) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (r'"Hi \ud83d"', "/messages/0/content: half a surrogate pair at character 3"),
        ("NaN", "/messages/0/content: nan is not a number"),
        ("1e999", "/messages/0/content: inf is not a number"),
        (r'{"\udc41\ud800": 1}', "/messages/0/content: "),
        ("1" * 5000, "not JSON"),
        ("[" * 100_000, "not JSON: it is nested too deeply"),
    ],
)
def test_what_json_cannot_carry_is_named(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "logs.jsonl"
    bad = f'{{"messages": [{{"role": "user", "content": {content}}}]}}'
    file.write_text(f"{json.dumps(LOG)}\n{bad}\n")
    with pytest.raises(CommandError) as error:
        read_logs([str(file)])
    assert f"{file}:2: {message}" in str(error.value)
    assert len(read_logs([str(file)], skip_unreadable=True)[0]) == 1


def test_logs_without_an_id_have_a_position_and_a_digest_of_their_content(tmp_path: Path) -> None:
    file = tmp_path / "logs.jsonl"
    other = {"messages": [{"role": "user", "content": "Bye"}]}
    file.write_text("".join(json.dumps(log) + "\n" for log in (LOG, LOG, {"id": "x", **other}, other)))
    sources = read_logs([str(file)])[0]
    names = [source.conversation for source in sources]
    assert names == ["logs.jsonl:1", "logs.jsonl:2", "x", "logs.jsonl:4"]
    assert [source.position for source in sources] == [1, 2, None, 4]
    assert sources[0].digest == sources[1].digest
    assert len({source.digest for source in sources}) == 3


@pytest.mark.parametrize("path", ["nowhere.jsonl", "."])
def test_a_path_without_files_says_so(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"does not exist|contains no"):
        read_logs([path])


LINES = "".join(
    json.dumps({"id": str(number), "messages": [{"role": "user", "content": "Hi"}]}) + "\n"
    for number in range(1000)
).encode()


def _put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_standard_input_may_be_gzip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LINES))))
    assert len(read_logs(["-"])[0]) == 1000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(LINES)[:-20], "gzip that is cut short"),
        (b"\x1f\x8b" + bytes(40), "damaged gzip"),
        (gzip.compress(LINES)[:-8] + bytes(8), "damaged gzip: CRC"),
    ],
)
def test_gzip_that_cannot_be_read_is_named_in_a_line(tmp_path: Path, content: bytes, message: str) -> None:
    bad, good = _put(tmp_path / "bad.jsonl.gz", content), _put(tmp_path / "good.jsonl", LINES)
    with pytest.raises(FileError, match=message):
        read_content(bad)
    with pytest.raises(CommandError) as error:
        read_logs([str(bad), str(good)])
    assert f"{bad}: {message}" in str(error.value)
    sources, faults = read_logs([str(bad), str(good)], skip_unreadable=True)
    assert (len(sources), len(faults)) == (1000, 1)


def test_every_file_of_a_folder_is_read_and_a_log_without_an_id_is_called_by_its_place(
    tmp_path: Path,
) -> None:
    (tmp_path / "old").mkdir()
    for name in ("chats.txt", "old/chats.txt"):
        (tmp_path / name).write_text("User: A coat?\nBot: The Lund.\n---\nUser: Boots?\nBot: The Alta.\n")
    (tmp_path / "more.jsonl").write_text(f"{json.dumps(LOG)}\n{json.dumps({'id': 'x', **LOG})}\n")
    notes: list[str] = []
    names = [source.conversation for source in read_logs([str(tmp_path)], notes=notes)[0]]
    old = tmp_path / "old" / "chats.txt"
    assert names == ["chats.txt:1", "chats.txt:4", "more.jsonl:1", "x", f"{old}:1", f"{old}:4"]
    assert len(notes) == 2


def test_results_in_place_of_logs_are_named(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(record("c1", {"coherence": 3.0}).line())
    # As score reads, and as import and doctor do.
    for read in (_names, lambda given: imported([str(given)], [])):
        with pytest.raises(CommandError, match=r"results\.jsonl contains results\. Pass the logs"):
            read(path)


def test_a_file_without_any_log_is_refused_in_few_words(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n' * 5)
    with pytest.raises(CommandError, match="No conversation was read") as error:
        read_logs([str(tmp_path / "other.jsonl")])
    assert len(str(error.value).splitlines()) <= 5
