"""Find how a reply treats the user as a person: sympathy, kind words, opinions, memory, manners."""

from collections.abc import Sequence

from .....text.patterns import Lexicon
from .....text.words import Span, outside, straight

LEXICON = Lexicon(__package__, "care")

#: Kinds of wording that attend to this user, the surest first.
ATTENTIVE = ("sympathy", "recall", "praise", "opinion")
COURTESY = "courtesy"


def find_care(text: str, names: Sequence[Span] = ()) -> Span | None:
    """The first stretch that attends to the user, `kind` a key of the lexicon; else one that is merely
    courteous; None where there is neither. `names` are titles, in which nothing is said."""
    plain = straight(text)
    for kind in (*ATTENTIVE, COURTESY):
        found = [Span(m.start(), m.end(), kind) for m in LEXICON.finder(kind).finditer(plain)]
        clear = outside(found, names)
        if clear:
            return clear[0]
    return None


def gives_occasion(text: str) -> bool:
    """Return whether a user's message shows a mood, an experience or people of their life: something to
    meet."""
    return bool(LEXICON.finder("occasion").search(straight(text)))
