"""Every format in the folder of formats must do the same: its sample is recognised, says what it says, and nothing in it is
lost in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from service.api.wire.log import Log
from service.cli.importing.account import account
from service.domain.plurals import counted
from service.importing.format import Format
from service.importing.formats import format_names, formats
from service.importing.reading.documents import Kind, documents
from service.importing.recognition import inside
from tests.unit.importing.importing import SAID, read, said_in

ALL = formats()
Path_ = tuple[str, ...]
JSONS = [name for name in ALL if ALL[name].kinds[0] is Kind.JSON]


@pytest.fixture(params=ALL)
def known(request: pytest.FixtureRequest) -> Format:
    return ALL[request.param]


def test_a_format_is_found_by_its_file(known: Format) -> None:
    folder = Path(__file__).parents[3] / "service/importing/formats"
    files = [file for file in folder.iterdir() if file.suffix in (".py", ".toml") and file.stem != "__init__"]
    assert format_names() == sorted(file.stem.replace("_", "-") for file in files)
    assert known.name in format_names()
    assert known.reads
    assert known.described.startswith(("https://", "docs/"))


def test_its_sample_is_told_apart_and_says_what_it_says(known: Format) -> None:
    found = read(known.sample(SAID))
    assert found.told[0].removeprefix("data: ").startswith(f"read as {known.name}")
    assert said_in(found.one) == SAID
    Log.model_validate_json(json.dumps(found.one.log))
    assert all(label["conversation"] == found.one.log["id"] for label in found.one.labels)


def test_what_it_is_told_apart_by_is_its_own(known: Format) -> None:
    (document,) = documents([("data", known.sample(SAID).encode())], list(Kind), [])
    values = [one.value for entry in document.entries for one in (entry, *inside(entry)[0])]
    taken = {one.name for one in ALL.values() if not one.general for value in values if one.fits(value)}
    assert taken <= {known.name}


def test_its_name_reads_the_same(known: Format) -> None:
    found, named = read(known.sample(SAID)), read(known.sample(SAID), known.name)
    assert named.one.log == found.one.log
    assert named.one.labels == found.one.labels


def test_nothing_is_kept_and_left_out_at_once(known: Format) -> None:
    found = read(known.sample(SAID))
    told = list(account(found.made, "logs.jsonl", "labels.jsonl", unreadable=1))
    assert told[0] == f"1 log is in logs.jsonl, {counted(len(found.one.labels), 'label')} in labels.jsonl."
    assert f"messages {len(found.one.log['messages'])}" in told[1]
    assert told[2].startswith("Left out: ")
    assert told[3] == "Not readable: 1 place, named above."


@pytest.mark.parametrize("name", JSONS)
def test_an_unknown_field_anywhere_is_kept_or_counted(name: str) -> None:
    """Each object of the sample gets a field that nobody knows. It shows up in the log or the labels. Or its name, or that of a
    field around it, is among what was left out. Of objects that stand in several entries (a talk so far) one is enough."""
    lines = [json.loads(line) for line in _lines(ALL[name].sample(SAID))]
    marks: list[tuple[str, Path_]] = []
    content = "".join(json.dumps(_marked(line, (), marks)) + "\n" for line in lines)
    found = read(content, name)
    kept = json.dumps([[one.log, *one.labels] for one in found.made], ensure_ascii=False)
    left = [key for one in found.made for key in one.left] + [*found.around, *map(str, found.faults)]
    heard = {path for mark, path in marks if mark in kept or _is_counted(mark, path, " ".join(left))}
    assert said_in(found.made[0]) == SAID
    assert [path for mark, path in marks if path not in heard] == []


def _lines(sample: str) -> list[str]:
    try:
        json.loads(sample)
    except ValueError:
        return sample.splitlines()
    return [sample]


def _marked(value: Any, path: Path_, marks: list[tuple[str, Path_]]) -> Any:
    if isinstance(value, list):
        return [_marked(one, path, marks) for one in value]
    if not isinstance(value, dict):
        return value
    made = {name: _marked(part, (*path, name), marks) for name, part in value.items()}
    wraps = not path and ("resourceSpans" in value or all(isinstance(part, dict) for part in value.values()))
    fixed = wraps or path in _FIXED or any(map(str.isdigit, (*path, *value)))
    if _BY_NAME.isdisjoint(path) and not fixed:
        marks.append((f"unheard_of_{len(marks)}", path))
        made[marks[-1][0]] = marks[-1][0]
    return made


_BY_NAME = frozenset(
    {"movieMentions", "initiatorQuestions", "dial_level_aggregated", "turn_level_aggregated"}
)
"""Objects whose fields are names of items or of factors."""
_OTLP = ("resourceSpans", "scopeSpans", "spans", "attributes", "value")
_RESOURCE = ("resourceSpans", "resource", "attributes", "value")
_FIXED = {*(_OTLP[:n] for n in (1, 2, 4, 5)), *(_RESOURCE[:n] for n in (2, 3, 4))}
"""Objects whose fields a schema of protobuf fixes."""


def _is_counted(mark: str, path: Path_, left: str) -> bool:
    """Return whether the field, or the nearest ones around it, are named among what was left out; a step
    inside a trace is as a whole."""
    return (
        mark in left
        or any(name in left for name in path[-2:])
        or ("steps inside" in left and "choices" in path)
    )
