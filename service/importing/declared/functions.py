"""Functions of declared formats beside JMESPath's own. Each returns null for a value of another type than it takes."""

import html
import re
from collections.abc import Mapping
from typing import Any

from jmespath.functions import Functions, signature

from ..model_calls.spans import attributes_of
from ..talk.leftovers import loaded

_TAG = re.compile(r"<[^<>]{0,2000}>")
_BREAK = re.compile(r"<(?:br|/p|/div|/li)\b[^<>]{0,200}>", re.IGNORECASE)
_ANY: Any = {"types": []}


class CustomFunctions(Functions):
    """Functions by the names that their methods end with."""

    @signature(_ANY)
    def _func_json(self, value: Any) -> Any:
        """Return what a text holds that is JSON; any other value as it is."""
        inside = loaded(f"[{value}]") if isinstance(value, str) and value[:1] == '"' else None
        return inside[0] if isinstance(inside, list) and len(inside) == 1 else loaded(value)

    @signature(_ANY)
    def _func_attributes(self, span: Any) -> Any:
        """Return the attributes of an OpenTelemetry span by their names."""
        return dict(attributes_of(span))

    @signature(_ANY)
    def _func_plain(self, value: Any) -> Any:
        """Return the text of HTML."""
        if not isinstance(value, str):
            return value
        return html.unescape(_TAG.sub("", _BREAK.sub("\n", value))).strip()

    @signature(_ANY)
    def _func_lower(self, value: Any) -> Any:
        """Return a text in lower case."""
        return value.casefold() if isinstance(value, str) else value

    @signature(_ANY, _ANY)
    def _func_nested(self, value: Any, name: Any) -> Any:
        """Return an object and all objects in its list of this name, at any depth. Each has the outermost one as `top`, and the
        `id` of the one that holds it as `holder`."""
        if not isinstance(value, Mapping):
            return None
        top = {key: part for key, part in value.items() if key != name}
        found, held = [top], [(value.get("id"), loaded(value.get(name)))]
        while held:
            holder, listed = held.pop()
            for one in _objects(listed):
                own = {key: part for key, part in one.items() if key != name}
                found.append({**own, "holder": holder, "top": top})
                held.append((one.get("id"), loaded(one.get(name))))
        return found

    @signature(_ANY)
    def _func_unescaped(self, value: Any) -> Any:
        """Return a text without HTML's entities."""
        return html.unescape(value) if isinstance(value, str) else value

    @signature(_ANY, _ANY)
    def _func_matched(self, value: Any, pattern: Any) -> Any:
        """Return the group of a regular expression that the whole text matches."""
        found = re.fullmatch(str(pattern), value) if isinstance(value, str) else None
        return found[1] if found else None

    @signature(_ANY, _ANY)
    def _func_around(self, values: Any, around: Any) -> Any:
        """Return objects with their surroundings as `around`."""
        return [{**one, "around": around} for one in _objects(values)]

    @signature(_ANY, _ANY, _ANY)
    def _func_replaced(self, text: Any, mark: Any, names: Any) -> Any:
        """Return the text with names in place of a mark and their keys: `@12`; with one text in place of the mark."""
        if isinstance(text, str) and isinstance(names, str):
            return text.replace(str(mark), names)
        if not isinstance(text, str) or not isinstance(names, Mapping):
            return text
        pattern = re.escape(str(mark)) + r"(\w{1,40})"
        return re.sub(pattern, lambda found: str(names.get(found[1]) or found[0]), text)

    @signature(_ANY)
    def _func_pairs(self, value: Any) -> Any:
        """Return an object as a list of `key` and `value`."""
        pairs = value.items() if isinstance(value, Mapping) else ()
        return [{"key": key, "value": one} for key, one in pairs]

    @signature(_ANY, _ANY)
    def _func_numbered(self, value: Any, name: Any) -> Any:
        """Return the values of `name0`, `name1` and so on, in their order."""
        if not isinstance(value, Mapping):
            return None
        found = {key.removeprefix(name): one for key, one in value.items() if key.startswith(name)}
        return [found[key] for key in sorted(filter(str.isdecimal, found), key=int) if found[key] is not None]

    @signature(_ANY, _ANY, _ANY, _ANY)
    def _func_joined(self, values: Any, key: Any, others: Any, id_: Any) -> Any:
        """Return objects with, as `joined`, the one of the others whose field `id_` is their field `key`."""
        known = {str(one.get(id_)): one for one in _objects(others)}
        return [{**one, "joined": known.get(str(one.get(key)))} for one in _objects(values)]

    @signature(_ANY, _ANY, _ANY, _ANY)
    def _func_carried(self, values: Any, field: Any, kind: Any, by: Any) -> Any:
        """Return objects. Each of kind `by` takes in the object of `kind` just before it, as `carried`."""
        made: list[Any] = []
        for one in _objects(values):
            before = made[-1] if made and one.get(field) == by and made[-1].get(field) == kind else None
            made = made[:-1] if before else made
            made.append({**one, "carried": before})
        return made if isinstance(values, list) else None

    @signature(_ANY, _ANY)
    def _func_branch(self, nodes: Any, last: Any) -> Any:
        """Return the nodes of a tree from its root to the last one, by their `parent`."""
        return list(reversed(_way(nodes, last).values())) if isinstance(nodes, Mapping) else None

    @signature(_ANY, _ANY)
    def _func_others(self, nodes: Any, last: Any) -> Any:
        """Return the nodes that `branch` leaves out."""
        way = _way(nodes, last) if isinstance(nodes, Mapping) else {}
        return [node for name, node in nodes.items() if name not in way] if way else None

    @signature(_ANY, _ANY, _ANY)
    def _func_path(self, values: Any, id_: Any, parent: Any) -> Any:
        """Return objects from the first to the last one, by the fields of their id and their parent's; none where there are several
        last ones."""
        nodes = {
            str(one[id_]): {"own": one, "parent": one.get(parent)} for one in _objects(values) if id_ in one
        }
        return [node["own"] for node in reversed(_way(nodes, None).values())]


def _way(nodes: Mapping[str, Any], last: Any) -> dict[str, Any]:
    """Return the nodes from the last one to the root. Without a named last node, start at the only leaf."""
    parents = {str(node.get("parent")) for node in nodes.values() if isinstance(node, Mapping)}
    leaves = [name for name in nodes if name not in parents]
    last = leaves[0] if last is None and len(leaves) == 1 else last
    way: dict[str, Any] = {}
    while isinstance(last, str) and last not in way and isinstance(nodes.get(last), Mapping):
        way[last] = nodes[last]
        last = nodes[last].get("parent")
    return way


def _objects(values: Any) -> list[Mapping[str, Any]]:
    return [one for one in values if isinstance(one, Mapping)] if isinstance(values, list) else []
