"""No importer loses a message, swaps two, or gives one to the wrong speaker, whatever is said."""

from collections.abc import Sequence
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.importing.declared.reading import Format
from service.importing.formats import formats
from tests.unit.importing.importing import read, said_in
from tools.format_samples import Line, sample

ALL = formats()
_ONE_LINE = {"csv", "inspired", "jddc", "parlai", "transcript"}
"""Formats in which a message is one line."""
_TRIMMED = {"concept", "durecdial", "intercom", "jddc", "parlai", "teams", "transcript"}
"""Formats in which the white space around a message is lost."""
_BOTH: list[Literal["user", "assistant"]] = ["user", "assistant"]
_SPEAKERS = st.sampled_from(_BOTH)
_ANY = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t"), min_size=1, max_size=40
)
_WORDS = st.sampled_from([
    "Hi", "Hi", "yes", "No, another", "Try Paper Lanterns (2009)", "it's \"fine\"", "a; b, c | d", "User: me", "@77 &amp; <b>",
    '{"role": "user"}', "café ☕", "- one", "12:30 works", "QUOTATION", "null", "true", "3",
])  # fmt: skip
_TEXTS = (_WORDS | _ANY).filter(lambda text: text.strip() != "")


@st.composite
def lines(draw: st.DrawFn, known: Format) -> list[Line]:
    """Return what two people might say, within what the format can say."""
    texts = draw(st.lists(_TEXTS, min_size=2, max_size=9))
    if known.name in _ONE_LINE:
        texts = [" ".join(text.split()) for text in texts]
    if known.name == "parlai":  # signs that it writes in another way
        texts = [text.replace("|", "/").replace("\\", "/") for text in texts]
    if "turn" not in known.sample:  # who speaks in turn begins as the user
        return [(draw(_SPEAKERS), text) for text in texts]
    pairs = zip(texts[::2], texts[1::2], strict=False)
    return [line for asked, answered in pairs for line in (("user", asked), ("assistant", answered))]


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
@settings(max_examples=20)
def test_every_message_comes_through_in_order_by_whom_it_was_said(name: str, data: st.DataObject) -> None:
    known = ALL[name]
    said = data.draw(lines(known))
    found = read(sample(known, said), name)
    assert _plain(said_in(found.one), known) == _plain(said, known)


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
@settings(max_examples=8)
def test_what_is_said_does_not_decide_the_format(name: str, data: st.DataObject) -> None:
    known = ALL[name]
    found = read(sample(known, data.draw(lines(known))))
    assert f"read as {name}" in found.summary[0]


def _plain(said: Sequence[tuple[str, str]], known: Format) -> list[tuple[str, str]]:
    """Return what is said, without the white space around it where the format loses that."""
    trimmed = known.name in _TRIMMED
    return [(speaker, text.strip() if trimmed else text) for speaker, text in said]
