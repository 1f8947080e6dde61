"""A reply in another language than the user's."""

from ...observations.wording.language import is_english, is_other_language
from ..rule import Rule, Seen

#: Words from which on a reply's language can be told.
ENOUGH = 5


def _finds(seen: Seen) -> bool:
    said = seen.exchange.said
    heard = [read for read in seen.exchange.user if read.words]
    if len(said) < ENOUGH or not heard:
        return False
    text = " ".join(read.untitled for read in seen.exchange.reply)
    if not is_other_language(said, text):
        return False
    return all(is_english(read.words) and not is_other_language(read.words, read.text) for read in heard)


RULE = Rule(
    slug="other-language",
    cost=3.0,
    finds=_finds,
    matches=(
        ("U: Can you recommend a comedy?", "A: Sure, what kind do you like?", "U: Something with the sea.",
         "A: Ich empfehle dir diesen Film, weil er sehr ruhig ist und am Meer spielt."),
        ("U: Can you recommend a comedy?", "A: Sure, what kind do you like?", "U: Something with the sea.",
         "A: Te recomiendo esta película porque es muy tranquila y pasa en la playa."),
    ),
    passes=(
        ("U: Can you recommend a comedy?", "A: Try La vita è bella (1997), it is moving and funny."),
        ("U: Do you know a French film?", "A: Le Fabuleux Destin d'Amélie Poulain!"),
        ("U: Kannst du mir einen Film empfehlen, der nicht so lang ist?",
         "A: Ich empfehle dir diesen Film, weil er sehr ruhig ist und am Meer spielt."),
    ),
)  # fmt: skip
