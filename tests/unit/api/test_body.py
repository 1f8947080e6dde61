import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.app import create_app
from service.errors import InvalidRequest
from service.settings import Settings
from service.usecases.parsing import allowance, check_shape, shape

SIGNS = st.text(alphabet=st.sampled_from(list('a"\\{}[],:é\n')), max_size=6)
VALUES = st.recursive(
    st.none() | st.integers() | SIGNS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SIGNS, inner, max_size=4),
    max_leaves=20,
)


def counted(value: Any) -> tuple[int, int, int, int]:
    """Depth, objects, keys and arrays, by walking the parsed value."""
    if not isinstance(value, dict | list):
        return 0, 0, 0, 0
    members = [counted(member) for member in (value.values() if isinstance(value, dict) else value)]
    depth, objects, keys, arrays = (
        max((m[0] for m in members), default=0),
        *(sum(m[n] for m in members) for n in (1, 2, 3)),
    )
    if isinstance(value, dict):
        return depth + 1, objects + 1, keys + len(value), arrays
    return depth + 1, objects, keys, arrays + 1


@given(value=VALUES, ascii_only=st.booleans(), indent=st.sampled_from([None, 2]))
def test_the_parts_of_a_text_are_counted_as_a_parser_finds_them(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    found = shape(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode())
    assert (found.depth, found.objects, found.keys, found.arrays) == counted(value)


@pytest.mark.parametrize(
    "body",
    [b"[" + b",".join([b"{}"] * 20_000) + b"]", b"[" + b",".join([b"[]"] * 60_000) + b"]"],
    ids=["objects", "arrays"],
)  # fmt: skip
def test_more_parts_than_a_body_may_have_are_refused(body: bytes) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_shape(shape(body), max_depth=32)
    assert refused.value.errors[0].fix


def test_no_allowance_exceeds_three_hundred_megabytes() -> None:
    assert allowance(0) == 8 * 1024 * 1024
    assert allowance(10**9) == 300 * 1024 * 1024


@pytest.mark.parametrize("part", [b'{"role":"user","content":"Something, please."},', b"{},"])
def test_counting_takes_milliseconds_a_megabyte(part: bytes) -> None:
    body = b"[" + part * (1_000_000 // len(part))
    times = []
    for _ in range(5):
        started = time.process_time()
        shape(body)
        times.append(time.process_time() - started)
    assert min(times) < 0.03  # a third of it on an idle machine


def unbounded(schema: Any, known: dict[str, Any], place: str, seen: set[str]) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from unbounded(part, known, place, seen)
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "array" and "maxItems" not in schema:
        yield place
    if "$ref" in schema and schema["$ref"] not in seen:
        seen.add(schema["$ref"])
        name = schema["$ref"].rpartition("/")[2]
        yield from unbounded(known[name], known, name, seen)
    for name, part in schema.items():
        if name not in {"example", "examples", "default", "enum"}:
            yield from unbounded(part, known, f"{place}/{name}", seen)


def test_every_list_of_a_request_has_a_most() -> None:
    document = create_app(Settings()).openapi()
    known = document["components"]["schemas"]
    bodies = [
        operation["requestBody"]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
    ]
    assert len(bodies) > 8
    seen: set[str] = set()
    assert not [place for body in bodies for place in unbounded(body, known, "", seen)]
