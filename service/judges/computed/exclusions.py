"""Replies that offer, in plain text, what the user ruled out by name: no data about items is needed."""

import re
from collections.abc import Iterator

from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...text.negation import rules_out
from ...text.words import FUNCTION_WORDS, excerpt, sentences, straight

PROBABILITY = 0.8
"""Probability of such an offer. What the words mean is not proved, so that none is certain."""
MOST_EXCLUDED = 20
"""Excluded phrases that are remembered, the latest."""
_RULED_OUT = re.compile(
    r"(?:\A|[,;.!(:\u2013\u2014-]\s?|\b(?:and|but|with|want|need|has|have|please|just|also|or)\s)"
    r"(?:(?:so|again|really|definitely|absolutely|preferably|pls|please)\s)?"
    r"(?:no(?: more)?|not(?: an?| any| the)?|nothing(?: with| from| by| in)|without(?: any| an?| the)?)\s"
    r"(?P<first>[\w'-]+(?:\s[\w'-]+){0,3})"
    r"|\b(?:without(?: any| an?| the)?|nothing (?:with|from|by)|anything but|other than|allergic to|avoid(?:ing)?"
    r"|(?:can(?:'t|not)|don't|won't|do not) (?:eat|stand|bear|drink|wear|want|like|touch)(?: any| an?| the)?|hates?)\s(?P<second>[\w'-]+(?:\s[\w'-]+){0,3})",
    re.IGNORECASE,
)
_MEAT = r"meat|chicken|beef|pork|bacon|ham|turkey|lamb|duck|veal|sausages?|steak|burgers?|salami|chorizo|prosciutto|carpaccio|bolognese"
_FISH = r"fish|salmon|tuna|cod|prawns?|shrimps?|anchov(?:y|ies)|oysters?|mussels?|seafood|lobster|squid"
_MILK = r"milk|cheese|cream|butter|yogh?urt|mozzarella|parmesan|feta|ricotta"
_DIETS = {
    "vegan": rf"{_MEAT}|{_FISH}|{_MILK}|eggs?|omelettes?|honey", "vegetarian": rf"{_MEAT}|{_FISH}", "veggie": rf"{_MEAT}|{_FISH}",
    "pescatarian": _MEAT, "dairy": _MILK, "lactose": _MILK, "gluten": r"pasta|spaghetti|lasagne|bread|wheat|couscous|croissants?|seitan|barley",
    "alcohol": r"wine|beer|vodka|gin|rum|whisk(?:e)?y|prosecco|champagne|lager|ale|liqueur", "pork": r"bacon|ham|salami|chorizo|prosciutto",
    "halal": r"pork|bacon|ham|salami|chorizo|wine|beer", "nut": r"almonds?|walnuts?|hazelnuts?|cashews?|pecans?|pistachios?|peanuts?|praline",
    "shellfish": r"prawns?|shrimps?|oysters?|mussels?|lobster|crab|scallops?",
}  # fmt: skip
"""Words for food that goes against a diet, or belongs to something that people rule out."""
_THEMSELVES_FINE = frozenset({"vegan", "vegetarian", "veggie", "pescatarian", "halal"})
"""Diets: to name one breaks nothing."""
_DIET = re.compile(
    r"\b(?:i'm|i am|we're|we are|(?:he|she|son|daughter|wife|husband|girlfriend|boyfriend|friend|mother|mum|mom|dad|father|kid)(?:'s| is)|both|strictly|something|anything|needs to be|must be|has to be) (?:an? |strict(?:ly)? |fully |100% |all )*"
    r"(?P<first>vegan|vegetarian|veggie|pescatarian|halal)s?\b|\b(?P<second>gluten|dairy|lactose|alcohol|nut|pork|meat)[ -]free\b",
    re.IGNORECASE,
)
_ASKS_FOR = re.compile(r"\W{0,5}(?:any|can|could|do you have|what|where|which|is there)\b", re.IGNORECASE)
"""The head of a question that says what is wanted. "Not a horror film?" may only be surprised."""
_PHRASE_ENDS = frozenset(
    """please pls thanks thank on in at for of to with from and or but because since so as if when that which who this it is are was were
    the a an my our his her their your me him them us you i we either though anymore again too at by over under than then now really just
    only like tonight today tomorrow anywhere everywhere allowed involved though thx though""".split()  # noqa: SIM905
)
"""Words that end a phrase."""
_GENERIC = frozenset(
    """movie movies film films book books game games song songs music show shows series place places restaurant restaurants one ones stuff
    thing things food dish dishes brand brands type kind kinds sort option options item items colour color flavour style
    product products hotel hotels bar bars shop shops model models""".split()  # noqa: SIM905
)
"""Words that a phrase may end with without meaning: "horror films" rules out horror."""
_EMPTY = frozenset(
    """problem problems idea ideas worries rush hurry preference preferences need matter way more less thanks thank yet sure luck one clue
    experience budget limit particular specific special much many too very really interested good great bad nice new old big small cheap
    expensive long short hard easy open reason doubt other others else what where how why kidding offence offense joke wonder time
    not no never ever even still all any some every each both few lot lots bit long later early late before after older
    question questions chance news longer further fan right seen watched heard read tried played been haha hahaha lol want wanted""".split()  # noqa: SIM905
)
"""Words that no phrase begins with: what they rule out is no property of an item."""
_SPARED = re.compile(
    r"\b(?:free|instead|rather|unlike|alternative|substitute|replace\w*|faux|fake|vegan|imitation|mock|without|sorry|apart|avoid\w*|skip\w*|left out"
    r"|remov\w*|swap\w*|none|never|zero|no|nor|not|n't|can't|won't|isn't|doesn't|don't|if|than|optional|can be|you (?:said|asked|mentioned|wanted|told)"
    r"|warn\w*|aware|careful|check|notes?|noted|may|might|watch out|unfortunately|right|understood|dodge|ask\w*|allerg\w*|safe|requir\w*|only|but|though"
    r"|while|except|thank\w*|good (?:that|to)|got it|lets you|off|hide|would|less|separate\w*|yes)\b",
    re.IGNORECASE,
)
"""Words of a sentence that names an excluded thing and does not offer it."""


def exclusions_ignored(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply that names something which the user ruled out before and did not bring up since, with both quotes."""
    excluded: dict[str, tuple[re.Pattern[str], str]] = {}
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            new = dict(_phrases(text))
            for phrase, (pattern, _) in list(excluded.items()):
                if phrase not in new and pattern.search(text):
                    del excluded[phrase]
            for phrase, said in new.items():
                excluded.pop(phrase, None)
                excluded[phrase] = _named(phrase), said
                if len(excluded) > MOST_EXCLUDED:
                    del excluded[next(iter(excluded))]
        elif message.is_reply and excluded:
            for pattern, said in excluded.values():
                if offer := _offer(pattern, text):
                    yield DetectedFault("ignores-exclusion", at, PROBABILITY, quotes=(said, excerpt(offer)))


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a message rules out, in small letters, each with its sentence."""
    for sentence in sentences(text):
        line = sentence.of(text)
        asks = line.rstrip("\"') ").endswith("?") and not _ASKS_FOR.match(line)
        for match in _DIET.finditer(line):
            yield (match["first"] or match["second"]).lower(), excerpt(line)
        for match in _RULED_OUT.finditer(line):
            phrase = _phrase(match["first"] or match["second"])
            if phrase and not (asks and match["first"]) and not _named(phrase).search(line[: match.start()]):
                yield phrase, excerpt(line)


def _phrase(words_after: str) -> str:
    words: list[str] = []
    for word in words_after.split():
        small = word.lower().strip("'-")
        if small in _PHRASE_ENDS or (not words and (small in FUNCTION_WORDS or small in _EMPTY)):
            break
        words.append(small)
    while words and words[-1] in _GENERIC:
        words.pop()
    phrase = " ".join(words)
    named = len(phrase) > 2 and not phrase.endswith("ing") and not any(word.isdecimal() for word in words)
    return phrase if named else ""


def _named(phrase: str) -> re.Pattern[str]:
    *first, last = phrase.split()
    stem = re.escape(re.sub(r"(?:es|s)\Z", "", last) if len(last) > 4 else last)
    own = (
        ""
        if phrase in _THEMSELVES_FINE
        else rf"{''.join(re.escape(word) + r'[ -]' for word in first)}{stem}(?:e?s)?"
    )
    every = "|".join(
        part for part in (own, _DIETS.get(phrase) or _DIETS.get(phrase.removesuffix("s"))) if part
    )
    return re.compile(rf"\b(?:{every})\b", re.IGNORECASE)


def _offer(pattern: re.Pattern[str], text: str) -> str | None:
    """Return the sentence in which a reply offers what the pattern names, None where there is none."""
    for sentence in sentences(text):
        line = sentence.of(text)
        match = pattern.search(line)
        if (
            match
            and not line.rstrip("\"') ").endswith("?")
            and not _SPARED.search(line)
            and not rules_out(line, *match.span())
        ):
            return line
    return None
