"""Replies that offer, in plain text, what the user ruled out by name: no data about items is needed."""

import re
from collections.abc import Iterator

from ...domain.conversation import ConversationLog, Role
from ...domain.verdict import DetectedFault
from ...text.negation import SIN, UNWANTED, rules_out
from ...text.words import FUNCTION_WORDS, excerpt, sentences, straight

PROBABILITY = 0.8
"""Probability of such an offer. None is certain, since words may mean something else."""
_RULED_OUT = re.compile(
    r"(?:\A(?:[\w-]+\s(?=without))?|[,;.!(:\u2013\u2014-]\s?|\b(?:and|but|with|want|need|has|have|wear|eat|drink|use|please|just|also|or|something|anything|thing|ones?|for (?:me|us)|an? (?:[\w-]+ )?[\w-]+)\s)"
    r"(?:(?:so|again|really|definitely|absolutely|preferably|pls|please)\s)?"
    r"(?:no(?: more)?|not(?: an?| any| the)?|nothing(?: with| from| by| in| containing)|without(?: any| an?| the)?)\s"
    r"(?P<first>[\w'-]+(?:\s[\w'-]+){0,3})"
    rf"|\b(?:nothing (?:with|from|by|containing)|anything but|kein(?:e[nmrs]?)?|ohne|{SIN}|(?<!vivre )sans|(?-i:\bSin(?= [a-zà-ÿ]{{1,30}}(?:\W|\Z)))|nada de|pas (?:de|du)|pas(?= d')|(?:any|every|all)\w*(?: [\w-]+){{0,2}} except(?: for)?|(?:{UNWANTED})(?: any| an?| the)?"
    r"|not (?:an? (?:big |huge |great )?fan of|into|keen on)|(?:can(?:'t|not)|don't|won't|do not|never|rather not) (?:eat|stand|bear|drink|wear|want|like|touch|watch|read)(?: any| an?| the)?|(?:can't|cannot|rather not) have(?: any| an?| the)?)"
    r"\s(?P<second>[\w'-]+(?:\s[\w'-]+){0,3})"
    r"|\b(?:leave|leaving|count|rule) (?P<fourth>[\w'-]{1,30}(?:\s[\w'-]{1,30})?) out\b|\b(?P<third>[\w'-]{1,30}(?:\s[\w'-]{1,30})?)\s(?:(?:is|are) (?:an? no-?go|not (?:for|my)\b|out(?=\W*\Z)|off the table)|(?:isn't|aren't) for\b|(?:makes?|gives?) (?:me|him|her|us|them) (?:sick|nightmares|itch|a rash))",
    re.IGNORECASE,
)
_MEAT = r"meat|chicken|beef|pork|bacon|ham|turkey|lamb|duck|veal|sausages?|steak|burgers?|salami|chorizo|prosciutto|carpaccio|bolognese"
_FISH = r"fish|salmon|tuna|cod|prawns?|shrimps?|anchov(?:y|ies)|oysters?|mussels?|seafood|lobster|squid"
_PLANTS = "coconut oat soy soya almond rice peanut nut cocoa shea bean lentil veggie vegan tofu".split()  # noqa: SIM905
_PLANT = "".join(rf"(?<!{plant}[ -])" for plant in _PLANTS)
_MILK = r"milk|cheese|cream|butter|yogh?urt|mozzarella|parmesan|feta|ricotta"
_DIETS = {
    "meat": _MEAT, "fish": _FISH, "seafood": _FISH, "vegan": rf"{_MEAT}|{_FISH}|{_MILK}|eggs?|omelettes?|honey", "vegetarian": rf"{_MEAT}|{_FISH}", "veggie": rf"{_MEAT}|{_FISH}",
    "pescatarian": _MEAT, "dairy": _MILK, "lactose": _MILK, "gluten": r"pasta|spaghetti|lasagne|bread|wheat|couscous|croissants?|seitan|barley",
    "alcohol": r"wine|beer|vodka|gin|rum|whisk(?:e)?y|prosecco|champagne|lager|ale|liqueur", "pork": r"bacon|ham|salami|chorizo|prosciutto",
    "halal": r"pork|bacon|ham|salami|chorizo|wine|beer", "nut": r"almonds?|walnuts?|hazelnuts?|cashews?|pecans?|pistachios?|peanuts?|praline",
    "fleisch": r"steaks?|schnitzel|hähnchen|hühnchen|schinken|speck|\w{0,20}wurst|burger", "carne": r"bistec|pollo|jamón|chorizo|ternera|cerdo|hamburguesas?",
    "viande": r"steaks?|poulet|bœuf|jambon|porc|agneau|lardons", "shellfish": r"prawns?|shrimps?|oysters?|mussels?|lobster|crab|scallops?",
}  # fmt: skip
"""Words for food that goes against a diet, or belongs to something that people rule out."""
_THEMSELVES_FINE = frozenset({"vegan", "vegetarian", "veggie", "pescatarian", "halal"})
"""Diets: naming one breaks nothing."""
_DIET = re.compile(
    r"\b(?:i'm|i am|we're|we are|(?:he|she|son|daughter|wife|husband|girlfriend|boyfriend|friend|mother|mum|mom|dad|father|kid)(?:'s| is)|both|strictly|something|anything|needs to be|must be|has to be) (?:an? |strict(?:ly)? |fully |100% |all )*"
    r"(?P<first>vegan|vegetarian|veggie|pescatarian|halal)s?\b|\b(?P<second>gluten|dairy|lactose|alcohol|nut|pork|meat)[ -]free\b",
    re.IGNORECASE,
)
_ASKS_FOR = re.compile(r"\W{0,5}(?:any|can|could|do you have|what|where|which|is there)\b", re.IGNORECASE)
"""Start of a question that states a wish. "Not a horror film?" may only express surprise."""
_NEGATED = re.compile(r"(?:n't|\bnot|\bnever)(?: \w{1,12})? \Z", re.IGNORECASE)
_WHETHER = re.compile(r"\W{0,5}(?:and |so )?(?:is|are|was|were|does|do|did|will)\b", re.IGNORECASE)
_ANSWERS = re.compile(
    r"(?:so )?(?P<word>no|not) (?!.{0,60}(?:please|pls))[\w' -]{1,60}[.\s]{0,9}", re.IGNORECASE
)
"""A sentence that may only state a fact: "No line." With "please" or an exclamation mark it is a request."""
_GOES_ON = re.compile(r"\w{0,30}\s(?:=|was|is|of)\s")
_KNOWN = re.compile(
    r"\b(?:(?:has|have|got|had|did|know|seen|read|own|finished|ate|played|watched|left|slept|stayed|been) (?:it|them|em|ones?|two|that one|those|that|there|him|her|\d)"
    r"|(?:(?:i|we)(?:'ve| have)?|has|have) (?:already )?(?:had|did|seen|read|watched|done|played|finished)(?! (?:trouble|an? |enough|it with))|already|not the|twice|must have|stayed)\b",
    re.IGNORECASE,
)
"""Words that refuse something owned or known, or one item by name: "not the Fernhill bench"."""
_PHRASE_ENDS = FUNCTION_WORDS | frozenset(
    "pls thx bitte i us tonight today tomorrow anywhere everywhere allowed involved anymore under over across him them".split()  # noqa: SIM905
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
SPARED = re.compile(
    r"\b(?:free|instead|in place|rather|unlike|alternative|substitute|replace\w*|faux|fake|vegan|imitation|mock|without|sorry|apart|avoid\w*|skip\w*|out"
    r"|remov\w*|swap\w*|none|nobody|never|zero|no|nor|not|nothing|n't|can't|won't|isn't|doesn't|don't|if|than|optional|can be|you (?:said|asked|mentioned|wanted|told)"
    r"|warn\w*|aware|careful|notes?|noted|may|might|watch|mind|unfortunately|right|understood|dodge|ask\w*|allerg\w*|safe|requir\w*|needs?|only|but|though"
    r"|while|except|thank\w*|good (?:that|to)|got it|lets? \w+|off|hide|would|less|separate\w*|yes|leave\w*|left|aside|away|keep\w*|because|since|should|must|even"
    r"|contain\w*|traces?|lack\w*|drop\w*|decides|please|here|had|under|like|as|rid|marks?|check\w*|first|own|too|true|what|alone|little|compar\w*)\b",
    re.IGNORECASE,
)
"""Words of a sentence that names an excluded thing and does not offer it."""


def exclusions_ignored(log: ConversationLog) -> Iterator[DetectedFault]:
    """Yield each reply that offers what the user has just ruled out, with both quotes. Earlier exclusions may no longer hold."""
    request, asked = "", False
    for at, message in enumerate(log.messages):
        text = straight(message.content)
        if message.role is Role.USER:
            request += f"{text}\n"
        elif message.is_reply:
            for phrase, said in dict(_phrases(request, asked)).items():
                if offer := _offer(_named(phrase), text):
                    fault = "repeats-refused" if _KNOWN.search(said) else "ignores-exclusion"
                    yield DetectedFault(fault, at, PROBABILITY, quotes=(said, excerpt(offer)))
            request, asked = "", "?" in text


def _phrases(text: str, asked: bool) -> Iterator[tuple[str, str]]:
    """Yield each excluded phrase in lower case, with its sentence. `asked`: the text may answer a
    question."""
    for sentence in sentences(text):
        line = sentence.of(text)
        asks = line.rstrip("\"') ").endswith("?") and not _ASKS_FOR.match(line)
        for match in _DIET.finditer("" if asks and _WHETHER.match(line) else line):
            yield (match["first"] or match["second"]).lower(), excerpt(line)
        for match in _RULED_OUT.finditer(line):
            phrase = _phrase(match["first"] or match["second"] or match["third"] or match["fourth"])
            bare = _ANSWERS.fullmatch(line)
            if not match["first"] and _NEGATED.search(line[: match.start()]):
                continue
            states = match["first"] and (
                asks
                or (bare and (asked or bare["word"].lower() == "not"))
                or _GOES_ON.match(line, match.start("first") + len(phrase))
            )
            if phrase and not states and not _named(phrase).search(line[: match.start()]):
                yield phrase, excerpt(line)


def _phrase(words_after: str) -> str:
    words: list[str] = []
    for word in words_after.split():
        small = word.lower().strip("'-")
        if small in _PHRASE_ENDS or (not words and small in _EMPTY):
            break
        words.append(small)
    while words and words[-1] in _GENERIC:
        words.pop()
    phrase = " ".join(words)
    named = len(phrase) > 2 and not phrase.endswith("ing") and not any(word.isdecimal() for word in words)
    return phrase if named else ""


_INFLECTED = 4
"""Most letters of a word that is searched for as it is written."""


def _named(phrase: str) -> re.Pattern[str]:
    *first, last = phrase.split()
    stem = re.escape(re.sub(r"(?:es|s)\Z", "", last) if len(last) > _INFLECTED else last)
    own = (
        ""
        if phrase in _THEMSELVES_FINE
        else rf"{''.join(re.escape(word) + r'[ -]' for word in first)}{stem}(?:{'e?s|n|filme?' if len(last) > _INFLECTED else 'e?s'})?"
    )
    every = "|".join(
        part for part in (own, _DIETS.get(phrase) or _DIETS.get(phrase.removesuffix("s"))) if part
    )
    return re.compile(rf"\b{_PLANT}(?:{every})\b(?![ -]style)", re.IGNORECASE)


def _offer(pattern: re.Pattern[str], text: str) -> str | None:
    """Return the sentence that offers the pattern's item, or None. A reply that avoids it in any sentence
    does not offer it."""
    offer = None
    for sentence in sentences(text):
        line = sentence.of(text)
        if match := pattern.search(line):
            if line.rstrip("\"') ").endswith("?") or SPARED.search(line) or rules_out(line, *match.span()):
                return None
            offer = offer or line
    return offer
