"""JMESPath expressions, and the fields that each of them reads: what none of them reads is kept or counted."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from ..imported import UnreadableError
from ..talk.leftovers import EMPTY
from .functions import CustomFunctions

Node = Any
"""A node of JMESPath's tree: its `type`, its `children` and its `value`."""
Path = tuple[str, ...]
ANY = "*"
_WHOLE = {"around": 2, "branch": 2, "carried": 1, "joined": 1, "nested": 1, "others": 2, "path": 1}
"""Functions that read so many arguments whole: what a turn of theirs holds is looked at there."""
_HAS = re.compile(r"contains\(keys\(@\), '([^']{1,80})'\)")
_LENT = ("around", "carried", "holder", "joined", "top")
"""Fields that functions add to an object."""
_OPTIONS = jmespath.Options(custom_functions=CustomFunctions())


_compiled = cache(jmespath.compile)


@cache
def _choices(text: str) -> list[tuple[ParsedResult, set[Path]]]:
    """The choices of an expression, which `||` parts, each with the fields that it reads."""
    return [(ParsedResult("", node), reads(node)) for node in _alternatives(_compiled(text).parsed)]


def _alternatives(node: Node) -> list[Node]:
    if node["type"] != "or_expression":
        return [node]
    return [one for child in node["children"] for one in _alternatives(child)]


def find(text: str, value: Any) -> Any:
    """Return what an expression finds in a value, null where there is nothing. Raises UnreadableError where its types are of no
    use, JMESPathError where it is none."""
    return _searched(text, _compiled(text), value)


def _searched(text: str, parsed: ParsedResult, value: Any) -> Any:
    try:
        return parsed.search(value, _OPTIONS)
    except (JMESPathError, RecursionError, AttributeError) as error:
        cause = f"{type(error).__name__} in {str(error)[:80]}"
        raise UnreadableError(f"{text} cannot be read: {cause}") from None


@cache
def fields_needed(text: str) -> frozenset[str]:
    """Return fields of which an object must have one to satisfy an expression: a quick filter, since most
    formats fit no entry. Empty if it reads the whole object."""
    plain = _HAS.sub(r'"\1"', text)
    names = {path[0] if path else ANY for path in reads(_compiled(plain).parsed)}
    return frozenset() if ANY in names or "(@" in plain or find(text, {}) else frozenset(names)


def find_all(fields: Mapping[str, str], value: Any) -> dict[str, Any]:
    """Return what each of several expressions finds, by their names."""
    return {name: find(text, value) for name, text in fields.items()}


def _unread(value: Any, inner: set[Path]) -> Any:
    """Return the parts of a value outside these paths; null if none."""
    if () in inner:
        return None
    if isinstance(value, Mapping):
        return _kept(value, inner)
    if isinstance(value, list) and inner:
        rest = []
        for at, one in enumerate(value):
            names = {ANY, str(at), str(at - len(value))}
            rest.append(_unread(one, {path[1:] for path in inner if path[0] in names}))
        return [one for one in rest if one not in EMPTY]
    return None if (ANY,) in inner else value  # a part of a list that the expression makes


def _kept(value: Mapping[str, Any], paths: set[Path]) -> dict[str, Any]:
    kept = {}
    for name, part in value.items():
        inner = {path[1:] for path in paths if path[0] == name or fnmatchcase(name, path[0])}
        rest = _unread(part, inner) if inner else part
        if rest not in EMPTY:
            kept[name] = rest
    return kept


def rest_of(value: Any, texts: Iterable[str]) -> Any:
    """Return the parts of a value that no expression reads; null if none."""
    own = value
    if isinstance(value, Mapping):
        own = {key: part for key, part in value.items() if key not in _LENT}
    return _unread(own, {path for text in texts for path in _paths(text, value)})


def _paths(text: str, value: Any) -> set[Path]:
    """The fields of a value that the first choice with a result reads, `*` for any of an object or a list."""
    *others, last = _choices(text)
    return next((paths for choice, paths in others if _searched(text, choice, value)), last[1])


def reads(node: Node) -> set[Path]:
    """The paths of the fields that an expression reads, `*` for any of an object or a list."""
    found: set[Path] = set()
    return found | _ends(node, {()}, found)


def _ends(node: Node, at: set[Path], found: set[Path]) -> set[Path]:
    """The paths at which a node ends, begun at these. What conditions read is added to `found`."""
    kind, inner = node["type"], node["children"]
    if kind in ("field", "index", "slice"):
        name = ANY if kind == "slice" else str(node["value"])
        return {(*path, name) for path in at}
    if kind in ("subexpression", "pipe", "index_expression"):
        for child in inner:
            at = _ends(child, at, found)
        return at
    if kind.endswith("projection"):
        each = {(*path, ANY) for path in _ends(inner[0], at, found)}
        for condition in inner[2:]:
            found.update(_ends(condition, each, found))
        return _ends(inner[1], each, found)
    if kind == "function_expression":
        return _of_function(node, at, found)
    if kind in ("literal", "expref"):
        return set()
    return at if kind in ("current", "identity") else _of_all(inner, at, found)


def _of_function(node: Node, at: set[Path], found: set[Path]) -> set[Path]:
    name, inner = node["value"], node["children"]
    if name == "numbered":
        return {(*path, f"{inner[1]['value']}{ANY}") for path in at}
    if name in _WHOLE:
        found.update(_of_all(inner[: _WHOLE[name]], at, found))
        return set()
    return _of_all(inner, at, found)


def _of_all(nodes: list[Node], at: set[Path], found: set[Path]) -> set[Path]:
    return {path for child in nodes for path in _ends(child, at, found)}
