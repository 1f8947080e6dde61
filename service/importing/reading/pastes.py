"""Chats copied from Slack, Telegram, Discord and Teams: a line with a name and a time stands above each message."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

MARK = "\x1e"
"""Begins a message, as `MARK name MARK time MARK text`, and a line that the program wrote, as `MARK text`."""
_CLOCK = r"\d{1,2}[:.]\d{2}(?::\d{2})?"
_WHEN = rf"(?P<time>(?:[^\W_][\w./,-]{{0,11}}+ ){{0,4}}{_CLOCK}(?:[ \u202f]?[AaPp]\.?[Mm]\.?| Uhr)?)"
_DATED = rf"(?P<time>(?:[^\W_][\w./,-]{{0,11}}+ ){{1,4}}{_CLOCK}(?:[ \u202f]?[AaPp][Mm])?|{_CLOCK}[ \u202f]?[AaPp][Mm])"
_NAME = r"(?P<name>(?:[^\w\s:\[\]*#>|=~.-][^\w\n]{0,4})?[^\W\d][^\n:\t\[\]]{0,59}?)"
_FORMS = [
    re.compile(form, re.MULTILINE)
    for form in (
        rf"^{_NAME}, \[{_WHEN}\]$",  # Telegram
        rf"^{_NAME}(?:\n(?P<app>APP|BOT)\n)? ?\u2014 ?\n?{_WHEN}$",  # Discord
        rf"^{_NAME}\n(?:(?P=name)\n)?(?:(?P<app>APP)[ \xa0]{{1,3}}|(?::[\w+-]+:|[ \t\xa0])[ \t\xa0]{{1,3}}){_WHEN}$",  # Slack
        rf"^{_NAME}[ \xa0]{{2,3}}{_WHEN}$",
        rf"^{_NAME} \[{_WHEN}\]$",
        rf"^\[{_WHEN}\] {_NAME}$",  # Teams until 2024, DiscordChatExporter
        rf"^(?:\d{{1,2}}\n)?[^\n]{{1,80}} by {_NAME}\n(?:(?P=name)\n{_WHEN}|{_WHEN.replace('time', 'first')}\n(?P=name))$",  # Teams
        rf"^{_NAME}\n{_DATED}$",
    )
]
"""The lines above a message, by the program that copies them. `app` marks a bot. Teams writes reactions and a preview there."""
_NEXT = re.compile(rf"\[?({_CLOCK}(?: [AP]M)?)\]?[ ]?")
"""The line above a further message of the same person, in Slack."""
_NOISE = re.compile(
    r"\n(?:\d+ repl(?:y|ies)|Last reply .*|View thread|Also sent to the channel|Last read|has context menu|[ \t]*"
    r"|(?:[A-Z]\w+day, )?[A-Z]\w+ \d{1,2}(?:st|nd|rd|th)(?:, \d{4})?)\Z|\n(?P<reaction>(?::[\w+-]+:)+|[^\w\s.,;:!?]{1,8})\n\d{1,3}\Z"
)
"""The end of what is copied with a message: replies in its thread, reactions, the next day."""
_LOOKED_AT = 20_000
_MOST_BEFORE = 12
"""Lines above the first message."""


def unpasted(text: str) -> str:
    """Return a text copied from a messenger with a mark before each message, line by line; any other text as it is."""
    head = text[:_LOOKED_AT].replace("\r", "")
    if "\n" not in head or not re.search(_CLOCK, head) or (form := _form_of(head)) is None:
        return text
    text = text.replace("\r", "")
    found = [*form.finditer(text)]
    before = text[: found[0].start()].split("\n")[:-1]
    made = [MARK + line if any(map(str.isalnum, line)) else line for line in before]
    for one, end in zip(found, [*(after.start() for after in found[1:]), len(text) + 1], strict=True):
        times = one.groupdict()
        name = f"{one['name']} (bot)" if times.get("app") else one["name"]
        body = text[one.end() : end - 1].split("\n")[1:]
        made += _messages(name, times["time"] or times.get("first") or "", body, one[0].count("\n") + 1)
    return "\n".join(made)


def _form_of(text: str) -> re.Pattern[str] | None:
    """The form of most messages, where two people or more say something, and the first of them near the top."""
    found = {form: [*form.finditer(text)] for form in _FORMS}
    likely = [
        form
        for form, held in found.items()
        if len({one["name"] for one in held}) > 1
        and text.count("\n", 0, held[0].start()) <= _MOST_BEFORE
        and sum(text[one.end() :].startswith("\n") for one in held) * 2 > len(held)
        and sum(not text[one.end() : after.start()].strip() for one, after in pairwise(held)) * 2 < len(held)
    ]
    return max(likely, key=lambda form: len(found[form]), default=None)


def _messages(name: str, time: str, body: Sequence[str], lines: int) -> Iterator[str]:
    """Yield a person's messages below one name, in as many lines as they had; `lines` are those of the name and the time."""
    said: list[str] = []
    for line in body:
        further = _NEXT.fullmatch(line)
        if further and any(said):
            yield from _message(name, time, said, lines)
            said, time, lines = [], further[1], 1
        else:
            said.append(line)
    yield from _message(name, time, said, lines)


def _message(name: str, time: str, said: Sequence[str], lines: int) -> Iterator[str]:
    begin = next((at for at, line in enumerate(said) if line.strip()), 0)
    end = len(said)
    while end > begin + 1 and (noise := _NOISE.search("\n".join(said[max(begin, end - 3) : end]))):
        end -= 2 if noise["reaction"] else 1
    first, *others = re.sub(r" ?\(edited\)\s*\Z", "", "\n".join(said[begin:end])).split("\n")
    yield f"{MARK}{name}{MARK}{time}{MARK}{first}"
    yield from others
    yield from (MARK + line if line.strip() else line for line in said[end:])
    yield from [""] * (lines - 1 + begin + bool(said))
