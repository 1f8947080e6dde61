"""The seeds of the fuzzers, what they once found, and a short search from there."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.harnesses import HARNESSES, posted

CORPUS = Path(__file__).parent / "corpus"
KNOWN = [(path.parent.name, path) for path in sorted(CORPUS.glob("*/*"))]


def test_every_harness_has_seeds() -> None:
    assert {name for name, _ in KNOWN} == set(HARNESSES)


def test_every_route_of_both_contracts_has_a_seed() -> None:
    known = {data[0] % len(posted().routes) for data in seeds("routes")}
    assert known == set(range(len(posted().routes)))


@pytest.mark.parametrize(("name", "path"), KNOWN, ids=[f"{name}-{path.name}" for name, path in KNOWN])
def test_what_is_known_breaks_nothing(name: str, path: Path) -> None:
    HARNESSES[name](path.read_bytes())


def seeds(name: str) -> list[bytes]:
    return [path.read_bytes() for known, path in KNOWN if known == name]


@st.composite
def mutated(draw: st.DrawFn, name: str) -> bytes:
    """A seed with pieces cut out, doubled, or put in from another one."""
    data = draw(st.sampled_from(seeds(name)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        end = draw(st.integers(at, min(len(data), at + 40)))
        other = draw(st.sampled_from(seeds(name)))
        start = draw(st.integers(0, len(other)))
        put = draw(
            st.one_of(st.binary(max_size=8), st.just(other[start : start + 40]), st.just(data[at:end] * 2))
        )
        data = data[:at] + put + data[end:]
    return data


@pytest.mark.parametrize("name", HARNESSES)
def test_a_short_search_finds_nothing(name: str) -> None:
    @given(st.one_of(mutated(name), st.binary(max_size=300)))
    def search(data: bytes) -> None:
        HARNESSES[name](data)

    search()
