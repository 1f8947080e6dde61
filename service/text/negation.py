"""Negation of a wish: whether the words around a value rule it out.

One reader for the judge, grounding, metrics and simulators. A negation reaches over the words of its clause; commas, "but",
"rather" and the like end its scope."""

import re

_END = re.compile(
    r"[,;:()\n\u2013\u2014]|\b(?:but|rather(?! than)|instead(?! of)|however|although|though|because|since|so(?! over)|then"
    r"|(?:and|or) (?:i |we )?(?:want|love|like|prefer|need|would|enjoy)|(?<!n't )(?<!not )(?:give me|show me)|find me|let's)\b",
    re.IGNORECASE,
)
"""Marks and words behind which an earlier negation no longer holds."""
REACH = 120
"""Characters around a value in which a negation is looked for."""
_EXCEPT = re.compile(
    r"\b(?:anything|everything|all|(?:any|all|every) (?:\w+ )?(?:film|movie|book|game|kind|genre|colou?r|one)s?) but\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bnothing but\b|\bnothing (?:as \w+ as|like|beats|better than)\b", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"(?:\bnot|n't) (?:only|just|necessarily|bad|sure|opposed|against|afraid)\b|\bwhy (?:not|don'?t)\b|\bnothing against\b"
    r"|\b(?:don'?t|do not|wouldn'?t|would not|doesn'?t) (?:mind|know|have to|need to|care|think)\b"
    r"|\bno (?:problem|issue|objection|idea|preference|matter|limit|doubt)s?\b"
    r"|(?<!must )(?<!should )(?<!to )\b(?:have|has|had|got|there(?:'s| is| are)|is there|are there) no\b"
    r"|\b(?:can'?t|cannot) (?:wait|get enough|go wrong|remember|decide|find|resist)\b|\bnever (?:get |gets )?(?:tired|bored|enough)\b"
    r"|\b(?:haven'?t|hasn'?t|have not|has not|didn'?t|did not|never) (?:\w+ )?(?:seen|watched|read|heard|played|tried|been|had|find|found)\b"
    r"|\b(?:doesn'?t|don'?t|does not|do not|didn'?t|isn'?t|aren'?t) (?:really |quite |exactly )?(?:seem|look|sound|appear|feel(?! like)|contain|cover|include|mention)\b"
    r"|\b(?:it|this|that) (?:doesn't|does not|didn't) (?:really )?feel like\b|\bnot (?:too|so|that|very|overly)(?: \w+)?\W*\Z|\bnot (?:too |that |very )?(?:picky|fussy|familiar|particular)\b|\bnot that\b|\bno,? (?:i|we|that|it|the|this)\b",
    re.IGNORECASE,
)
"""Negated words that rule nothing out."""
_ADMITS = re.compile(
    r"\A[\w' ]{0,20},? (?:but|though|yet) (?:tonight|today|this|for|here|i|we|it|let's|then|now)\b[^.!?]{0,60}\b(?:try|tried|one|once|exception|go|open|willing|ok(?:ay)?|fine|we are)\b"
    r"|\A(?: \w+)?\W{0,2} (?:is|are|would be|was) (?:\w+ ){0,2}(?:complete|possible|right|real)\b",
    re.IGNORECASE,
)
"""A negation that the rest of the sentence takes back: "I usually avoid horror, but tonight I want to try one"."""
_TAG = re.compile(r"\b(?:is|are|was|does|do) (?:it|this|that|they)\W{0,2}\?", re.IGNORECASE)
"""The end of a question: "not a horror, is it?"."""
_BUT_I_DO = re.compile(r"\A[\w' ]{0,20},? but (?:i|we) (?:do|am|are|can)\b(?! not|n't)", re.IGNORECASE)
"""A negation that holds for somebody else: "she doesn't like horror, but I do"."""
_ASKS = re.compile(
    r"\A\W*(?:(?:what|so|wait|huh|oh|really)\W{1,3})?no (?![^?]{0,40}\bplease\b)[\w' -]{1,40}\?|\A\W*(?:and |so )?(?:(?:do|does|did|is|are|ca|could|wo|have|has)n'?t (?:you|i|we|it|they|there|this|that)"
    r"|do you not|do you (?:really )?(?:have|sell|know) no|(?:is|are) there no|wouldn'?t)\b",
    re.IGNORECASE,
)
UNWANTED = (
    r"avoid(?:ing)?|skip(?:ping)?|count(?:ing)? out|rul(?:e|ing) out|excluding|exclude|leave out|leaving out|spare (?:me|us)|refuse[sd]? to \w+|hate[sd]?|hating|dislikes?"
    r"|detests?|despises?|loathes?|allergic to|aversion to|intolerant (?:of|to)|other than|rather than"
    r"|(?:tired|sick|bored|weary|had enough|seen enough|enough|fed up) (?:of|with)|so over|(?:no|zero) interest in|do without"
    r"|stay(?:ing)? away from|steer(?:ing)? clear of|keep(?: \w+)? away from|keeping away from"
)
"""Words right before what somebody does not want."""
SIN = r"(?<!vivir )(?<!about )(?<!of )(?<!the )(?<!and )(?<!with )(?<!\ba )(?-i:sin)"
"""The Spanish word for "without", where it is neither the English word nor part of a title."""
_RULES_OUT = re.compile(
    r"\b(?:"
    rf"(?:not|no|nor|neither|never|nothing|none of|without|minus|except(?: for)?|(?:all|every|any|anything|everything)(?: [\w']+){{0,2}} save|drop|forget|hold|{UNWANTED}|instead of|apart from|aside from|besides|outside of|far from|free (?:of|from)"
    rf"|kein(?:e[nmrs]?)?|ohne|außer|{SIN}|menos|excepto|salvo|nada de|sans|sauf|pas (?:de|du|d'un)|rien de|(?:done|over|through) with|anti|too (?:much|many)"
    r"|(?:is|are|am|was|were|do|does|did|can|could|would|should|will|wo|ca)n'?t|cannot|dont|doesnt|cant|wont|isnt|arent)"
    r"(?P<between>(?:[ -][\w'/]+){0,6})[ -]"
    r"|non[ -]|anti[ -]|fear of |scared of |hate |dislike )\Z",
    re.IGNORECASE,
)
_TWICE = re.compile(
    rf"(?:\b(?:not|never|no|nothing|cannot|can't|hardly)|n't)(?: (?!and\b|or\b|but\b)[\w']+){{0,3}} (?:{UNWANTED}|too (?:much|many)|far from|without|forget|drop|hold|say no|turn down|refuse)\b|\b(?:pas|jamais)(?: \w+){{0,2}} sans\b|\bno(?: \w+){{0,3}} sin\b",
    re.IGNORECASE,
)
"""Two negations, of which one takes back the other: "I can't live without horror", "no need to avoid it"."""
_COORDINATED = re.compile(r"\b[\w'/]{1,20} (?:or|and|nor)\b", re.IGNORECASE)
_LIGHT = frozenset(
    """a an any anything anyone anywhere some something the that this those these more other others another one ones of to for in on with from about by at such kind kinds
    type types sort sorts bit lot huge big great real really particularly especially very much all quite exactly even ever please typical
    want wanted wants wanting wanna need needs like likes liking love enjoy enjoys watch watches watching see seeing look looking read reading eat eats eating drink
    drinks drinking wear wears wearing hear hearing listen listening play playing have has having do does doing be being go going get getting take taking buy
    order ordering stand bear tolerate touch handle stomach use using cook into up out
    fan fans keen fond mood interested interest give giving show showing recommend suggest send offer me us him her my our his their kid kids children wife husband son daughter
    movie movies film films book books game games music food stuff thing things place places dish dishes product products contain contains containing include includes including involve
    involves involving made feature features featuring set full which who i i'd i'm we it it's is are am was were will would can could should must or and nor no not too
    bloody damn fucking sorry again today tonight either neither him them you your deal work works feel feeling allowed permitted supposed""".split()  # noqa: SIM905
)
"""Words between a negation and the value that it surely rules out."""
_OUT_AFTER = re.compile(
    r"\A(?:\w{0,2})(?:[- ]free\b"
    r"|(?: (?:films?|movies?|ones?|books?|games?|stuff|things?|food|places?|colou?red))?"
    r"(?: (?:is|are|'s) (?:really |just |definitely |a )?(?:out\b(?! (?:of|now|in|on))|off (?:the table|limits)|no[- ]?go|not an option"
    r"|not (?:really )?(?:for (?:me|us|him|her|them)|my|our))"
    r"| ?(?:isn'?t|aren'?t|is not|are not) (?:really |quite )?(?:for (?:me|us|him|her|them)|my|our|an option|what)"
    r"| (?:doesn'?t|don'?t|won'?t|does not|do not) work\b"
    r"| out of (?:it|this)\b| (?:bores?|disgusts?|upsets?) (?:me|him|her|us|them|my \w+)\b"
    r"| (?:makes?|gives?) (?:me|him|her|us|them|my \w+) (?:sick|ill|unwell|nightmares|itch|a rash)))",
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
    if (
        _ASKS.match(sentence)
        or _TAG.search(sentence[end:])
        or _BUT_I_DO.match(sentence[end:])
        or _ADMITS.match(sentence[end:])
    ):
        return False
    clause = clause_before(sentence, start)
    return bool(_RULES_OUT.search(clause)) and not _NEUTRAL.search(clause) and not _TWICE.search(clause)


def is_plain(sentence: str, start: int, end: int) -> bool:
    """Return whether nothing else stands between the nearest negation and the value that it rules out. "I never thought that
    I would ask for horror" rules out none. The arguments are those of `rules_out`."""
    if _OUT_AFTER.match(sentence[end : end + REACH]):
        return True
    clause = clause_before(sentence, start)
    nearest, match = None, _RULES_OUT.search(clause)
    while match:
        nearest, match = match, _RULES_OUT.search(clause, match.start() + 1)
    between = _COORDINATED.sub("", nearest["between"] or "") if nearest else ""
    return _LIGHT.issuperset(re.split(r"[ /-]", between.strip(" -").lower())) if between.strip(" -") else True


def clause_before(sentence: str, start: int) -> str:
    """Return the words of a sentence before a place that belong to the same clause."""
    before = _ONLY.sub("only", _EXCEPT.sub("except", sentence[max(0, start - REACH) : start]))
    return before[max((match.end() for match in _END.finditer(before)), default=0) :]
