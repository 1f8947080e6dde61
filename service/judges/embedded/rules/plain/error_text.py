"""An error of the system in the place of a reply."""

import re

from ..rule import Rule, Seen

_ERROR = re.compile(
    r"\A\W*(?:error\W{0,3})?(?:\d{3}\W{0,3})?"
    r"(?:internal server error"
    r"|bad gateway"
    r"|service (?:temporarily )?unavailable"
    r"|gateway time-?out"
    r"|too many requests"
    r"|rate limit (?:exceeded|reached)"
    r"|connection (?:refused|reset|timed out))\b",
    re.IGNORECASE,
)
_TRACE = re.compile(
    r"Traceback \(most recent call last\)|^\s{0,8}at [\w$.]{3,80}\([\w.]{1,40}:\d{1,6}\)", re.MULTILINE
)
_RAISED = re.compile(r"\A\s{0,8}(?:[a-z_]\w{0,40}\.){0,4}[A-Z]\w{2,40}(?:Error|Exception)\b(?:: |\Z)")
_NOTHING = re.compile(
    r"\A\s{0,8}(?:\{\s{0,8}\}|\[\s{0,8}\]|null|undefined|None|NaN|\{\s{0,8}\"error\"\s?:.{0,400})\s{0,8}\Z",
    re.DOTALL,
)


def _finds(seen: Seen) -> bool:
    return any(
        pattern.search(read.text)
        for read in seen.exchange.reply
        for pattern in (_ERROR, _TRACE, _RAISED, _NOTHING)
    )


RULE = Rule(
    slug="error-text",
    cost=4.0,
    finds=_finds,
    languages=("any",),
    matches=(
        ("U: A comedy, please.", "A: Internal Server Error"),
        ("U: A comedy, please.", "A: Error 503: Service Unavailable"),
        ("U: A comedy, please.", "A: Traceback (most recent call last): File app.py, line 3"),
        ("U: A comedy, please.", "A: java.lang.NullPointerException: name"),
        ("U: A comedy, please.", "A: {}"),
        ("U: A comedy, please.", 'A: {"error": "upstream timed out"}'),
    ),
    passes=(
        ("U: A comedy, please.", "A: Trial and Error (1997) is a comedy in a court room."),
        (
            "U: What is it about?",
            "A: A server at a diner makes an error, and a connection is reset between two sisters.",
        ),
        ("U: What went wrong?", "A: Sorry, that was an error of mine. The year is 1999."),
    ),
)
