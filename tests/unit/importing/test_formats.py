"""Every format in the folder of formats must do the same: its sample is recognised, says what it says, and nothing in it is
lost in silence."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from service.importing.declared.expressions import rest_of
from service.importing.declared.reading import Format
from service.importing.formats import formats
from service.importing.imported import Wanted
from service.importing.reading.documents import Kind, documents
from service.importing.recognition import inside
from service.usecases.wire.log import Log
from tests.unit.importing.importing import SAID, read, read_values, said_in
from tools.format_samples import sample

ALL = formats()
Path_ = tuple[str, ...]
JSONS = [name for name in ALL if ALL[name].kinds[0] is Kind.JSON]


@pytest.fixture(params=ALL)
def known(request: pytest.FixtureRequest) -> Format:
    return ALL[request.param]


def test_its_sample_is_told_apart_and_says_what_it_says(known: Format) -> None:
    found = read(sample(known, SAID))
    assert found.summary[0].removeprefix("data: ").startswith(f"read as {known.name}")
    assert said_in(found.one) == SAID
    Log.model_validate_json(json.dumps(found.one.log))
    assert all(label["conversation"] == found.one.log["id"] for label in found.one.labels)


def test_what_it_is_told_apart_by_is_its_own(known: Format) -> None:
    (document,) = documents(
        [("data", sample(known, SAID).encode())], list(Kind), Wanted(), [], lambda _: False
    )
    values = [one.value for entry in document.entries for one in (entry, *inside(entry)[0])]
    taken = {one.name for one in ALL.values() if not one.general for value in values if one.claims(value)}
    assert taken <= {known.name}


def test_its_name_reads_the_same(known: Format) -> None:
    found, named = read(sample(known, SAID)), read(sample(known, SAID), known.name)
    assert named.one.log == found.one.log
    assert named.one.labels == found.one.labels


@pytest.mark.parametrize("name", JSONS)
def test_an_unknown_field_anywhere_is_kept_or_counted(name: str) -> None:
    """Each object of the sample gets a field that nobody knows. It shows up in the log or the labels. Or its name, or that of a
    field around it, is among what was left out. Of objects that stand in several entries (a talk so far) one is enough."""
    lines = [json.loads(line) for line in _lines(sample(ALL[name], SAID))]
    marks: list[tuple[str, Path_]] = []
    content = "".join(json.dumps(_marked(line, (), marks)) + "\n" for line in lines)
    found = read(content, name)
    kept = json.dumps([[one.log, *one.labels] for one in found.made], ensure_ascii=False)
    left = [key for one in found.made for key in one.left] + [*found.around, *map(str, found.faults)]
    known_paths = {path for mark, path in marks if mark in kept or _is_counted(mark, path, " ".join(left))}
    assert said_in(found.made[0]) == SAID
    assert [path for mark, path in marks if path not in known_paths] == []


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


FOLDER = files("service.importing.formats")
USER, ASSISTANT = "A tent for two, not red", "The Alpina 2 is green"


def test_a_field_that_no_declaration_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('reads = "x"\ndescribed = "https://x"\nfits = "x"\nturnz = "x"\n')
    with pytest.raises(TypeError, match="turnz"):
        Format.of(tmp_path / "own.toml")


@pytest.mark.parametrize(
    ("texts", "rest"),
    [
        (["a.b"], {"a": {"c": 2}, "d": [{"e": 1, "f": 2}, {"e": 3}]}),
        (["a"], {"d": [{"e": 1, "f": 2}, {"e": 3}]}),
        (["a.*", "d[].e"], {"d": [{"f": 2}]}),
        (["a.z || d"], {"a": {"b": 1, "c": 2}}),
        (["d[?e == `1`].f"], {"a": {"b": 1, "c": 2}}),
        (["d[0]"], {"a": {"b": 1, "c": 2}, "d": [{"e": 3}]}),
        (["@"], None),
    ],
)
def test_what_no_expression_reads_is_left(texts: list[str], rest: Any) -> None:
    value = {"a": {"b": 1, "c": 2}, "d": [{"e": 1, "f": 2}, {"e": 3}]}
    assert rest_of(value, texts) == rest


def test_topics_without_responses_are_refused() -> None:
    turn = {"number": 1, "raw_utterance": USER, "manual_rewritten_utterance": USER}
    refused = read_values({"number": 31, "title": "tents", "turn": [turn]})
    assert not refused.made
    assert "response" in str(refused.faults[0])
    answered = read_values({"number": 31, "turn": [{**turn, "passage": ASSISTANT}]}).one
    assert said_in(answered) == [("user", USER), ("assistant", ASSISTANT)]


def test_lines_of_another_form_are_refused_whole() -> None:
    line = "s1\tu1\t0\t0\t0\tHi\n"
    refused = read(line * 30 + "s1\tu1\t2\t0\t0\tHi\n", "jddc")
    assert not refused.made
    assert "line 31" in str(refused.faults[0])
    two = read(line + "s1\tu1\t1\t0\t0\tHello\ns2\tu2\t0\t0\t0\tBye\n")
    assert [(one.log["id"], len(one.log["messages"])) for one in two.made] == [("s1", 2), ("s2", 1)]
