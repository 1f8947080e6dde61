"""An export of spans is read or refused, whatever a producer put where."""

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from service.importing.formats import formats
from service.live.intake import UnreadableError, read_post
from service.live.spans import NoExportError, posts_of

EXPORT: dict[str, Any] = json.loads(
    formats()["opentelemetry"].sample([("user", "A slow drama?"), ("assistant", "Paper Lanterns.")])
)
ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 1e300, "", "x", "\x00", [], {}, [[]], {"a": 1}, [None], {"stringValue": []}]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


PLACES = [place for place in places(EXPORT) if place]


@given(st.lists(st.tuples(st.sampled_from(PLACES), ODD), min_size=1, max_size=3))
def test_any_field_may_hold_anything(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    export = copy.deepcopy(EXPORT)
    for (*path, last), odd in changes:
        held = export
        try:
            for key in path:
                held = held[key]
            held[last] = copy.deepcopy(odd)
        except (KeyError, IndexError, TypeError):
            continue
    try:
        posts = posts_of(json.dumps(export).encode(), protobuf=False)
    except NoExportError:
        return
    for post in posts:
        try:
            read_post(post)
        except UnreadableError:
            continue


@given(st.binary(max_size=200))
def test_bytes_that_are_no_export_are_refused_or_hold_no_talk(content: bytes) -> None:
    for protobuf in (False, True):
        try:
            assert posts_of(content, protobuf=protobuf) == []
        except NoExportError:
            continue
