"""Negation of a wish: whether the words around a value rule it out.

One reader for the judge, grounding, metrics and simulators. A negation reaches over the words of its clause; commas, "but",
"rather" and the like end its scope."""

import re

_END = re.compile(
    r"[,;:()\n\u2013\u2014]|\b(?:but|rather(?! than)|instead(?! of)|however|although|though|because|since|so(?! over)|then"
    r"|(?:and|or) (?:i |we )?(?:want|love|like|prefer|need|would|enjoy)|give me|show me|find me|let's)\b",
    re.IGNORECASE,
)
"""Marks and words behind which an earlier negation no longer holds."""
REACH = 120
"""Characters around a value in which a negation is looked for."""
_EXCEPT = re.compile(
    r"\b(?:anything|everything|all|any (?:\w+ )?(?:film|movie|book|game|kind|genre|colou?r|one)s?) but\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bnothing but\b|\bnothing (?:as \w+ as|like|beats|better than)\b", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"\bnot (?:only|just|necessarily|bad|sure|opposed|against|afraid)\b|\bwhy (?:not|don'?t)\b|\bnothing against\b"
    r"|\b(?:don'?t|do not|wouldn'?t|would not|doesn'?t) (?:mind|know|have to|need to|care|think)\b"
    r"|\bno (?:problem|issue|objection|idea|preference|matter|limit|doubt)s?\b"
    r"|\b(?:can'?t|cannot) (?:wait|get enough|go wrong|remember|decide|find|resist)\b|\bnever (?:get |gets )?(?:tired|bored|enough)\b"
    r"|\b(?:haven'?t|hasn'?t|have not|has not|didn'?t|did not|never) (?:\w+ )?(?:seen|watched|read|heard|played|tried|been|had|find|found)\b"
    r"|\b(?:doesn'?t|don'?t|does not|do not|didn'?t|isn'?t|aren'?t) (?:really |quite |exactly )?(?:seem|look|sound|appear|feel|contain|cover|include|mention)\b"
    r"|\bnot (?:too|so|that|very|overly)(?: \w+)?\W*\Z|\bnot (?:too |that |very )?(?:picky|fussy|familiar|particular)\b|\bnot that\b|\bno,? (?:i|we|that|it|the|this)\b",
    re.IGNORECASE,
)
"""Negated words that rule nothing out."""
_BUT_I_DO = re.compile(r"\A[\w' ]{0,20},? but (?:i|we) (?:do|am|are|can)\b(?! not|n't)", re.IGNORECASE)
"""A negation that holds for somebody else: "she doesn't like horror, but I do"."""
_ASKS = re.compile(
    r"\A\W*(?:and |so )?(?:don'?t you|do you not|isn'?t there|aren'?t there|is there no|are there no|can'?t you|couldn'?t you"
    r"|haven'?t you|didn'?t you|wouldn'?t)\b",
    re.IGNORECASE,
)
UNWANTED = (
    r"avoid(?:ing)?|skip(?:ping)?|excluding|exclude|leave out|leaving out|spare me|hate[sd]?|hating|dislikes?"
    r"|detests?|despises?|loathes?|allergic to|aversion to|intolerant (?:of|to)|other than|rather than"
    r"|(?:tired|sick|bored|weary|had enough|seen enough|enough|fed up) (?:of|with)|so over|(?:no|zero) interest in|do without"
    r"|stay(?:ing)? away from|steer(?:ing)? clear of|keep(?: \w+)? away from|keeping away from"
)
"""Words right before what somebody does not want."""
_RULES_OUT = re.compile(
    r"\b(?:"
    rf"(?:not|no|nor|neither|never|nothing|none of|without|minus|except(?: for)?|drop|forget|hold|{UNWANTED}|instead of|apart from|aside from|besides|outside of|far from"
    r"|(?:done|over|through) with|anti|too (?:much|many)"
    r"|(?:is|are|am|was|were|do|does|did|can|could|would|should|will|wo|ca)n'?t|cannot|dont|doesnt|cant|wont|isnt|arent)"
    r"(?:[ -][\w'/]+){0,6}[ -]"
    r"|non[ -]|anti[ -]|fear of |scared of |hate |dislike )\Z",
    re.IGNORECASE,
)
_OUT_AFTER = re.compile(
    r"\A(?:\w{0,2})(?:[- ]free\b"
    r"|(?: (?:films?|movies?|ones?|books?|games?|stuff|things?|food|places?|colou?red))?"
    r"(?: (?:is|are|'s) (?:really |just |definitely |a )?(?:out\b(?! (?:of|now|in|on))|off (?:the table|limits)|no[- ]?go|not an option"
    r"|not (?:really )?(?:for (?:me|us|him|her|them)|my|our))"
    r"| ?(?:isn'?t|aren'?t|is not|are not) (?:really |quite )?(?:for (?:me|us|him|her|them)|my|our|an option|what)"
    r"| (?:doesn'?t|don'?t|won'?t|does not|do not) work\b"
    r"| (?:makes?|gives?) (?:me|him|her|us|them|my \w+) (?:sick|nightmares|itch|a rash)))",
    re.IGNORECASE,
)


def rules_out(sentence: str, start: int, end: int) -> bool:
    """Return whether a sentence rules out the value at `sentence[start:end]`: "anything but horror", "skip the horror",
    "horror-free", "not a drama, rather a comedy" for the drama alone.

    Args:
        sentence: One sentence, with straight apostrophes (`words.straight`).
        start: First character of the value.
        end: Character behind the value."""
    sentence, start, end = (
        sentence[max(0, start - REACH) : end + REACH],
        min(start, REACH),
        min(start, REACH) + end - start,
    )
    if _OUT_AFTER.match(sentence[end:]):
        return True
    if _ASKS.match(sentence) or _BUT_I_DO.match(sentence[end:]):
        return False
    clause = clause_before(sentence, start)
    return bool(_RULES_OUT.search(clause)) and not _NEUTRAL.search(clause)


def clause_before(sentence: str, start: int) -> str:
    """Return the words of a sentence before a place that belong to the same clause."""
    before = _ONLY.sub("only", _EXCEPT.sub("except", sentence[max(0, start - REACH) : start]))
    return before[max((match.end() for match in _END.finditer(before)), default=0) :]
