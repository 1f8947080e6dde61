"""The fields that a JMESPath expression reads, by its syntax tree."""

from typing import Any

Node = Any
"""A node of JMESPath's tree: its `type`, its `children` and its `value`."""
Path = tuple[str, ...]
ANY = "*"
_WHOLE = {"around": 2, "branch": 2, "joined": 1, "nested": 1, "others": 2}
"""Functions that read so many arguments whole: what a turn of theirs holds is looked at there."""


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
