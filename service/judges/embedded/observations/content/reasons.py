"""Reasons that a reply gives for what it recommends."""

from .....text.patterns import Lexicon
from .....text.words import Span, content_words, sentences, straight, words
from .topics import find_kinds

LEXICON = Lexicon(__package__, "reasons")

KINDS = ("preference", "likeness", "content")
#: A statement with so many words of topic tells something of the item, whatever its form.
TELLING = 5


def find_reason(text: str) -> Span | None:
    """The first reason in a reply: a tie to the user's wishes, a likeness, what the item is about, some other
    statement, or what kind it is. None where the reply only names or praises items."""
    plain = straight(text)
    for kind in KINDS:
        match = LEXICON.finder(kind).search(plain)
        if match:
            return Span(match.start(), match.end(), kind)
    for sentence in sentences(text):
        line = sentence.of(text)
        if (
            not line.endswith("?")
            and len(set(content_words(words(line))) - LEXICON.words("empty")) >= TELLING
        ):
            return Span(sentence.start, sentence.end, "statement")
    for span, _, wanted in find_kinds(text):
        if wanted and not text[: span.start].rstrip().endswith(("for", "of", "some")):
            return Span(span.start, span.end, "attribute")
    return None
