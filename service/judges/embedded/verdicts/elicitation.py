"""PEPPER: proactiveness in elicitation, and personalization against the user's general preferences."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from ....domain.conversation import Item
from ....domain.rubric import Factor
from ....domain.verdict import Flag
from ....text.words import sentences, straight, words
from ..observations.acts.acts import ReplyAct
from ..observations.content.topics import akin, find_kinds, kinds_of
from ..observations.reading import Read, Reading
from ..rules.findings import (
    Exhibit,
    Finding,
    Gap,
    Mark,
    Wording,
    by_marks,
    by_share,
    evidence,
    mark,
    of,
    pair,
    say,
    sure,
    tell,
)
from ..rules.replies import Judged, Lead
from .dialogue import takes_leave
from .items import flags_of, listed_items, too_few

PROACTIVENESS_AT_MOST = 0.65
PERSONALIZATION_AT_MOST = 0.5
#: Values of a reply that shows something to react to, with and without a question about wishes elsewhere, and of one
#: that offers a next step only as a formality.
SHOWS, SHOWS_UNASKED, FORM = 0.75, 0.25, 0.5
#: Weight of the suggestions beside the words that explain them.
OF_ITEMS = 0.75
#: A kind that is only near to a liked one.
NEAR = 0.5
#: Characters of the preferences that are read.
LONGEST = 20_000
_CLAUSE = re.compile(r"[;,]?\s{1,9}\b(?:but|while|whereas|however|although|though|yet|rather than|instead of|and (?=you (?:dis|avoid|do not|don't|are not|aren't|hate|never)))\b", re.IGNORECASE)  # fmt: skip
_DISLIKE = re.compile(
    r"\b(?:dislik\w*|hat(?:e|es|ed|ing)|avoid\w*|detest\w*|loath\w*|never|can(?:'t|not) stand|(?:do|does|did)(?:n't| not)|(?:are|is)(?:n't| not)"
    r"|rather than|instead of|put off|off-putting|turn(?:s|ed)? (?:you|me|them) off|bor(?:e|ed|es|ing)|tired of|sick of|no interest|little (?:interest|patience)"
    r"|uninterested|annoy\w*|without|no (?:time|patience) for|shy away|steer clear|disappoint\w*|not)\b",
    re.IGNORECASE,
)


def rate_pepper_proactiveness(_reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """The share of replies that go after the user's preferences: a question about wishes counts whole, unless it asks
    what is known; something new to react to counts three quarters, or one where wishes are never asked about; a next
    step offered for form half. A reply to a user who takes leave is no occasion and left out."""
    occasions = [each for each in judged if not takes_leave(each)]
    if not occasions:
        return Gap("no_occasion", say("dialogue.no-occasion"))
    elicits = any(ReplyAct.ELICIT in each.exchange.acts for each in occasions)
    marks = [_initiative(each, elicits=elicits) for each in occasions]
    return by_marks(factor, marks, Wording(pair("elicitation.asks")), PROACTIVENESS_AT_MOST)


def _initiative(each: Judged, *, elicits: bool) -> Mark:
    worth, matter = SHOWS, say("elicitation.suggests")
    if each.lead is Lead.NOT:
        worth, matter = 0.0, say("elicitation.nothing")
    elif "asks-known" in each.kinds:
        worth, matter = 0.0, say("elicitation.asks-known")
    elif ReplyAct.ELICIT in each.exchange.acts:
        worth, matter = 1.0, ""
    elif each.lead is Lead.ASKS and not each.fresh:
        worth, matter = FORM, say("elicitation.for-form")
    elif not elicits:
        worth, matter = SHOWS_UNASKED, say("elicitation.never-asked")
    return mark(each, worth, matter)


@dataclass(frozen=True, slots=True)
class Taste:
    """The content of a narrative of preferences: liked and disliked kinds, and the words of either side."""

    liked: frozenset[str]
    disliked: frozenset[str]
    praised: str
    scorned: str

    def suits(self, item: Item) -> float | None:
        """Return how well an item suits, 0-1: disliked 0, liked 1, both or only near to a liked kind half,
        neither 0. None where the data say nothing that could be compared."""
        kinds = kinds_of(item)
        named = [value for values in item.attributes.values() for value in values]
        if not kinds and not named:
            return None
        likes = bool(kinds & self.liked) or any(_says(self.praised, value) for value in named)
        against = bool(kinds & self.disliked - self.liked) or any(
            _says(self.scorned, value) for value in named
        )
        if likes:
            return NEAR if against else 1.0
        return NEAR if not against and akin(self.liked, kinds) else 0.0


def read_taste(preferences: str) -> Taste:
    """The likes and dislikes of a narrative, clause by clause: a clause that holds a word of disliking tells
    of dislikes, any other of likes."""
    text = straight(preferences[:LONGEST])
    liked: set[str] = set()
    disliked: set[str] = set()
    praised: list[str] = []
    scorned: list[str] = []
    for sentence in sentences(text):
        for clause in _clauses(sentence.of(text)):
            against = bool(_DISLIKE.search(clause))
            (scorned if against else praised).append(clause)
            for _, kinds, positive in find_kinds(clause):
                (liked if positive and not against else disliked).update(kinds)
    return Taste(frozenset(liked), frozenset(disliked), _padded(praised), _padded(scorned))


def _clauses(sentence: str) -> list[str]:
    """A sentence cut where it turns; the turning word stays with what follows."""
    cuts = [0, *(match.start() for match in _CLAUSE.finditer(sentence)), len(sentence)]
    return [clause for start, end in pairwise(cuts) if (clause := sentence[start:end]).strip()]


def _padded(clauses: Sequence[str]) -> str:
    return " | ".join(["", *(f" {' '.join(words(clause))} " for clause in clauses), ""])


def _says(padded: str, value: str) -> bool:
    wanted = " ".join(words(value))
    return len(wanted) > 2 and f" {wanted} " in padded


def rate_personalization(reading: Reading, judged: Sequence[Judged], factor: Factor) -> Finding | Gap:
    """Return how well the suggested items suit the user's general preferences, by their attributes. A quarter is how many of the
    suggesting replies speak of something that the user likes."""
    listed = listed_items(reading)
    if not listed:
        return Gap("no_recommendation_made", say('recommended-items.no-list-no-title'),
                   ("recommendations",))  # fmt: skip
    user = reading.log.user
    taste = read_taste(user.preferences if user and user.preferences else "")
    known = [(each.reference, fit) for each in listed
             if each.item and (fit := taste.suits(each.item)) is not None]  # fmt: skip
    if too_few(known, listed):
        return Gap("missing_metadata", say('elicitation.few-attributes', unknown=len(listed) - len(known), total=len(listed)),
                   ("items",))  # fmt: skip
    if not (taste.liked or taste.disliked or any(fit for _, fit in known)):
        return Gap("no_preferences", say('elicitation.no-preferences'),
                   ("user.preferences",))  # fmt: skip
    share = fmean(fit for _, fit in known)
    explaining = [
        _speaks_to(taste, each) for each, (_, offered) in zip(judged, reading.offers, strict=True) if offered
    ]
    if explaining:
        share = OF_ITEMS * share + (1 - OF_ITEMS) * fmean(explaining)
    score = by_share(factor, share)
    places = _places(reading)
    missed = [_missed(places, reading, reference, fit) for reference, fit in known if fit < 1]
    told = of(sum(fit == 1 for _, fit in known), len(known), pair('elicitation.suggested-items'),
              pair('elicitation.suit'))  # fmt: skip
    likes = ", ".join(sorted(taste.liked)) or say("elicitation.none-named")
    rationale = say(
        "elicitation.liked-disliked",
        told=told,
        likes=likes,
        dislikes=", ".join(sorted(taste.disliked - taste.liked)) or say("elicitation.none-named"),
    )
    if explaining:
        spoken = of(sum(explaining), len(explaining), pair('elicitation.suggesting-replies'),
                    pair('elicitation.speak-of-likes'))  # fmt: skip
        rationale += f". {spoken}"
    return Finding(
        score=score,
        rationale=rationale + (f": {tell(missed)}." if missed else "."),
        confidence=round(sure(len(known), 3, PERSONALIZATION_AT_MOST) * len(known) / len(listed), 2),
        evidence=evidence(missed, score - factor.scale.max),
        flags=(
            Flag("rules_check_little", say("elicitation.checks-little")),
            *flags_of(reading, listed, len(known)),
        ),
    )


def _speaks_to(taste: Taste, each: Judged) -> bool:
    """Return whether a suggesting reply speaks of a kind that the user likes, outside titles."""
    return any(
        positive and kinds & taste.liked for read in each.exchange.reply for _, kinds, positive in read.kinds
    )


def _places(reading: Reading) -> dict[str, tuple[Read, str]]:
    """For each item the reply that names it first, as it is written there, else the first that lists it."""
    places: dict[str, tuple[Read, str]] = {}
    for read in reading.replies:
        for named in read.named:
            for reference in (named.surface, *((named.item.title,) if named.item else ())):
                places.setdefault(reference, (read, named.surface))
    for read in reading.replies:
        for reference in read.message.recommendations or ():
            places.setdefault(reference, (read, ""))
    return places


def _missed(places: Mapping[str, tuple[Read, str]], reading: Reading, reference: str, fit: float) -> Exhibit:
    """An item that does not suit, where it was shown."""
    read, quote = places.get(reference, (reading.replies[0], ""))
    matter = say("elicitation.shows", reference=reference) + (
        say("elicitation.partly") if fit else say("elicitation.not")
    )
    return Exhibit(read, quote, matter, 1 - fit)
