"""Patterns are found alike where Python's own parse of them is read, and where it cannot be."""

import re
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from service.text import demands
from service.text import patterns as glance
from service.text.patterns import Finder, Glance, demands_of
from tests.unit.text.test_finder import FINDERS, TEXTS


def own_parser(**changed: Any) -> SimpleNamespace:
    """Python's own parser, but for what is `changed`."""
    return SimpleNamespace(**{**vars(demands._parser), **changed})


def swapped(pattern: str, flags: int) -> list[tuple[Any, Any]]:
    """A parse whose parts stand the other way round: no error, only wrong."""
    return [(value, kind) for kind, value in demands._parser.parse(pattern, flags)]


def beheaded(pattern: str, flags: int) -> Any:
    """A parse that lost what is first."""
    return demands._parser.parse(pattern, flags)[1:]


@pytest.fixture(autouse=True)
def _read_anew() -> Iterator[None]:
    yield
    glance.reader.cache_clear()


def test_this_python_is_one_whose_parser_is_read() -> None:
    assert glance.reader() is demands.read


@pytest.mark.parametrize("missing", ["re._parser", "re._constants"])
def test_a_parser_that_is_gone_rules_nothing_out(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, demands.__name__)
    monkeypatch.setitem(sys.modules, missing, None)
    glance.reader.cache_clear()
    assert demands_of(r"\bhow about\b") == ()


def test_kinds_that_are_gone_rule_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, demands.__name__)
    monkeypatch.setitem(sys.modules, "re._constants", ModuleType("re._constants"))
    glance.reader.cache_clear()
    assert demands_of(r"\bhow about\b") == ()


@pytest.mark.parametrize(
    "parser",
    [
        own_parser(parse=None),
        own_parser(parse=swapped),
        own_parser(parse=beheaded),
        own_parser(parse=lambda _, __: 7),
        own_parser(parse=lambda _, __: []),
        SimpleNamespace(),
    ],
    ids=["no function", "swapped", "beheaded", "a number", "nothing", "nameless"],
)
def test_a_parser_that_reads_otherwise_rules_nothing_out(
    parser: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demands, "_parser", parser)
    glance.reader.cache_clear()
    assert glance.reader() is glance.unknown
    assert Glance([demands_of(r"\bhow about\b")]).possible("a film") == [0]


def test_a_pattern_that_surprises_is_left_to_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert glance.reader() is demands.read
    monkeypatch.setattr(demands, "_parser", own_parser(parse=lambda _, __: [("a kind", "of", "three parts")]))
    assert demands_of(r"\bhow about\b") == ()
    assert Finder(r"\bhow about\b").search("How about it?")


def test_a_pattern_that_is_none_is_an_error_as_ever() -> None:
    with pytest.raises(re.error):
        demands_of("(")


@pytest.mark.parametrize("name", FINDERS)
def test_both_ways_find_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = FINDERS[name]
    monkeypatch.setattr(glance, "reader", lambda: glance.unknown)
    plain = Finder(*read.alternatives)
    assert not any(part.demands for part in plain.parts)
    for text in TEXTS:
        for written in (text, text.upper()):
            assert [m.span() for m in plain.finditer(written)] == [m.span() for m in read.finditer(written)]
            first, wanted = plain.search(written), read.search(written)
            assert (first and first.span()) == (wanted and wanted.span())
