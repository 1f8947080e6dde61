"""Declared formats: data of the wrong types, other files of the same kind, and what each declaration counts or refuses."""

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from service.importing.declared.declaration import declared
from service.importing.declared.expressions import rest_of
from service.importing.formats import formats
from tests.unit.importing.importing import SAID, read, read_values, said_in

FOLDER = files("service.importing.formats")
DECLARED = {
    file.name.removesuffix(".toml"): declared(file)
    for file in FOLDER.iterdir()
    if file.name.endswith(".toml")
}
JSONS = sorted(name for name, one in DECLARED.items() if not one.line)
USER, ASSISTANT = "A tent for two, not red", "The Alpina 2 is green"


DEEP: list[Any] = ["x"]
for _ in range(199):
    DEEP = [DEEP]
WRONG: list[Any] = [None, "x", [3], DEEP]


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from _paths(part, (*path, name))


def _changed(value: Any, path: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the value with something wrong at the path, and without what is there."""
    if not path:
        yield from WRONG
        return
    for other in (*WRONG, WRONG):
        whole = copy.deepcopy(value)
        around = whole
        for name in path[:-1]:
            around = around[name]
        if other is WRONG:
            del around[path[-1]]
        else:
            around[path[-1]] = other
        yield whole


@pytest.mark.parametrize("name", JSONS)
def test_wrong_types_and_missing_fields_end_in_logs_or_faults(name: str) -> None:
    lines = formats()[name].sample(SAID[:2]).strip()
    try:
        value = json.loads(lines)
    except ValueError:
        value = [json.loads(line) for line in lines.splitlines()]
    for path in _paths(value):
        for one in filter(lambda one: one != [], _changed(value, path)):
            found = read(json.dumps(one), name)
            assert found.made or found.faults or found.around
            for imported in found.made:
                assert imported.log["messages"], (path, one)


def test_a_field_that_no_declaration_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('reads = "x"\ndescribed = "https://x"\nfits = "x"\nturnz = "x"\n')
    with pytest.raises(TypeError, match="turnz"):
        declared(tmp_path / "own.toml")


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


def test_an_episode_of_parlai_ends_where_it_says() -> None:
    text = "text:Hi\tlabels:Hello\tepisode_done:True\ntext:Bye\tlabels:Goodbye\n"
    assert [len(one.log["messages"]) for one in read(text).made] == [2, 2]


@pytest.mark.parametrize(
    ("goal", "first"), [("Greetings", "assistant"), ("寒暄", "assistant"), ("Q&A", "user")]
)
def test_durecdials_recommender_greets_first(goal: str, first: str) -> None:
    value = {"goal_type_list": [goal], "conversation": ["[1]Hello", "Hi [really] you"]}
    said = said_in(read_values(value).one)
    assert said[0] == (first, "Hello")
    assert said[1][1] == "Hi [really] you"


def test_a_table_may_name_the_kind_of_sender_beside_the_sender() -> None:
    table = f"Chat ID,Sender,Sender Type,Message\n7,Pat,Customer,{USER.replace(',', '')}\n7,Kim,Agent,{ASSISTANT}\n"
    assert [role for role, _ in said_in(read(table).one)] == ["user", "assistant"]
