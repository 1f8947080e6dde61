"""Declared formats: data of the wrong types, other files of the same kind, and what each declaration counts or refuses."""

import copy
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jmespath.exceptions import JMESPathError

from service.importing.declared.declaration import Declaration, declared
from service.importing.declared.expressions import Expression, expression, rest_of
from service.importing.declared.functions import CustomFunctions
from service.importing.formats import formats
from tests.unit.importing.importing import SAID, read, read_values, said_in

FOLDER = files("service.importing.formats")
FILES = [declared(file) for file in FOLDER.iterdir() if file.name.endswith(".toml")]
DECLARED = {one.name: one for one in FILES if not one.reader}
JSONS = sorted(name for name, one in DECLARED.items() if not one.line)
USER, ASSISTANT = "A tent for two, not red", "The Alpina 2 is green"


DEEP: list[Any] = ["x"]
for _ in range(199):
    DEEP = [DEEP]
WRONG: list[Any] = [None, 3, "x", {}, [3], DEEP]


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


@pytest.mark.parametrize("name", DECLARED)
def test_functions_of_a_declaration_are_known(name: str) -> None:
    one = DECLARED[name]
    texts = [one.fits, one.conversations, one.turns, one.steps, one.needs, one.ends, one.first]
    for fields in (one.conversation, one.trace, one.step, one.left, one.beside, *one.messages):
        texts.extend(fields.values())
    for text in filter(None, texts):
        tree = str(expression(text)._whole.parsed)
        for function in _functions(expression(text)._whole.parsed):
            assert hasattr(CustomFunctions, f"_func_{function}"), (text, function, tree)


def _functions(node: Any) -> Iterator[str]:
    if node["type"] == "function_expression":
        yield node["value"]
    for child in node["children"]:
        yield from _functions(child) if isinstance(child, dict) else ()


def test_a_field_that_no_declaration_has_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('reads = "x"\ndescribed = "https://x"\nfits = "x"\nturnz = "x"\n')
    with pytest.raises(TypeError, match="turnz"):
        declared(tmp_path / "own.toml")


def test_an_expression_that_is_none_is_named() -> None:
    with pytest.raises(JMESPathError):
        Expression("a[")


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


def test_formats_may_be_mixed_with_others() -> None:
    ragas = {"user_input": [{"type": "human", "content": USER}, {"type": "ai", "content": ASSISTANT}]}
    pearl = {"dialogue": [f"Seeker: {USER}", f"Recommender: {ASSISTANT}"], "user_persona": "x"}
    found = read_values(ragas, pearl, {"nothing": 1}, ragas)
    assert [said_in(one) for one in found.made] == [[("user", USER), ("assistant", ASSISTANT)]] * 3
    assert len(found.faults) == 1


def test_a_declaration_of_ten_lines_is_a_format() -> None:
    lines = '''reads = "our app"
described = "https://shop.example"
fits = "talk[0].by"
turns = "talk"
[[messages]]
role = "by"
content = "say"
[roles]
shop = "assistant"
'''.splitlines()  # fmt: skip
    assert len(lines) <= 10
    assert isinstance(Declaration("own", "x", "x", "talk[0].by").claims({"talk": [{"by": "shop"}]}), bool)
