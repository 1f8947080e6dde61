"""Speakers of a transcript: by the names for roles that people write, by turns where one name is open, else by the caller."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from ..imported import OptionError
from ..talk.speakers import SPEAKERS, Speaker, quoted, roles_example, speaker_by_words, system_talks
from .lines import Line

TEXT = "text"
"""The role of a name that is no speaker: `--roles Price=text`."""
_SAID = re.compile(r" (?:said|says|wrote|asked|replied)\Z")
_WORD = re.compile(r"[^\W\d_]")
_OTHER = {Speaker.USER: "assistant", Speaker.ASSISTANT: "user"}
_FEW = 3
"""Words of a message, where the value of a field has fewer: `Price: 89 EUR`."""
_FIELDS = frozenset({
    "note", "notes", "tip", "hint", "warning", "important", "update", "edit", "ps", "p.s.", "summary", "verdict", "result", "total", "price",
    "cost", "discount", "offer", "deal", "option", "alternative", "recommendation", "suggestion", "pick", "choice", "reason", "why", "pros",
    "cons", "rating", "review", "reviews", "description", "features", "details", "specs", "size", "color", "colour", "material", "weight",
    "brand", "model", "availability", "stock", "delivery", "shipping", "returns", "warranty", "address", "location", "hours", "time", "date",
    "duration", "genre", "plot", "cast", "director", "life", "link", "source", "example", "answer", "question", "subject", "title", "name",
    "the", "this", "my", "hinweis", "tipp", "preis", "lieferung", "größe", "farbe", "nota", "precio", "remarque", "prix",
})  # fmt: skip
"""Words of names that are no speaker's, where such a name comes once."""


def role_of(name: str, roles: Mapping[str, str]) -> str | None:
    """The role of a name: the caller's, else by its words (`USER_12`, `ShopBot`, `Anna (customer)`, `You said`). None where it is open."""
    plain = name.strip().casefold()
    if plain in roles:
        return roles[plain]
    if plain in SPEAKERS:
        return plain
    parts = re.split(r"\(| [-\u2013|/] ", _SAID.sub("", name))
    found = [speaker_by_words(part) for part in parts if _WORD.search(part)]
    speaker = next((one for one in found if one is not None), None)
    return "developer" if speaker is Speaker.INSTRUCTION else speaker and speaker.value


class Speakers:
    """Assigns speakers, conversation by conversation, over one text."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self._roles = roles
        self._after_user: Counter[str] = Counter()

    def with_roles(self, lines: Sequence[Line]) -> list[Line]:
        """Return the messages with their roles. A line without a speaker's name belongs to the message before it. Raises
        OptionError where a name might be a speaker's and nothing says whose."""
        self._free_untimed(lines)
        lines = _without_headers(lines)
        self._free_fields(lines)
        named = [line for line in lines if line.role not in (None, TEXT)]
        own_lines = bool(named) and not any(line.texts[0] for line in named)
        unknown = [line for line in lines if line.role is None and (line.texts[0] or own_lines)]
        if len(_sides(lines)) < 2:
            self._one_sided(lines, named, [line for line in unknown if line.is_likely])
        unknown = [line for line in unknown if line.role is None and not line.whole.endswith("**")]
        shapes = {_shape(line) for line in lines if line.role is not None and line.time}
        if timed := [line for line in unknown if line.time and _shape(line) in shapes]:
            raise _asked(timed, named)
        if len(sides := _sides(lines)) == 1:
            _check_unlikely(lines, named, unknown)
        elif sides:
            self._check_others(lines, set(map(id, unknown)))
            self._check_quoted(lines)
        return _joined(lines)

    def _free_untimed(self, lines: Sequence[Line]) -> None:
        """Take the role from names without a time, where speakers have one."""
        counts = Counter(line.name for line in lines if line.time)
        timed = {line.name for line in lines if line.time and (line.role or counts[line.name] > 1)}
        for line in lines if len(timed) > 1 and lines[0].time else ():
            if not (line.time or line.name in timed or line.name in self._roles):
                line.role = TEXT

    def _free_fields(self, lines: Sequence[Line]) -> None:
        """Take the role from fields of a product (`Model: X200`, `System: Linux`): short values beside other fields, where somebody
        else has the role as well."""
        known = Counter((_kind(line), line.name) for line in lines if line.role not in (None, TEXT))
        usual = {kind: name for (kind, name), _ in reversed(known.most_common())}
        for at in reversed(range(len(lines))):
            line = lines[at]
            beside = [
                one for one in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]) if one.role is None
            ]
            own = (usual.get(_kind(line)), *self._roles)
            is_other = line.role not in (None, TEXT) and line.name not in own
            if is_other and not _talks([line]) and any(one.texts[0] for one in beside):
                line.role = None

    def _one_sided(self, lines: Sequence[Line], named: Sequence[Line], unknown: Sequence[Line]) -> None:
        """Give the only unknown name the unassigned role."""
        sides = _sides(lines)
        counts = Counter(line.name for line in unknown)
        given = any(_side(line) is not None and line.name in self._roles for line in named)
        often = [name for name, number in counts.items() if number > 1]
        others = list(counts) if given and len(counts) == 1 else often
        guessed = {line.name for line in named if line.name not in self._roles and _side(line) is not None}
        if sides and len(others) == 1 and _talks([line for line in unknown if line.name == others[0]]):
            for line in unknown:
                line.role = _OTHER[next(iter(sides))] if line.name == others[0] else None
        elif often or (counts and _may_speak(lines, sides, unknown)):
            first = next((at for at, line in enumerate(unknown) if line.name in often), 0)
            raise _asked(unknown[first:], named)
        elif len(guessed) > 1:
            raise _asked(named)

    def _check_others(self, lines: Sequence[Line], unknown: set[int]) -> None:
        """Both roles speak. Another name that stands alone is a speaker's, unless it comes once and is plainly that of a field;
        fields stand side by side."""
        alone: dict[str, list[Line]] = {}
        answers: set[str] = set()
        runs = [list(run) for _, run in groupby(lines, lambda line: id(line) in unknown)]
        for before, held, after in zip([[], *runs], runs, [*runs[1:], []], strict=False):
            if before and id(held[0]) in unknown and len({line.name for line in held}) == 1:
                alone.setdefault(held[0].name, []).append(held[0])
                follows = _side(before[-1]) is Speaker.USER
                self._after_user[held[0].name] += follows
                if follows and not (after and _side(after[0]) is not Speaker.USER):
                    answers.add(held[0].name)
        suspects = [
            name
            for name, found in alone.items()
            if self._after_user[name] > 1
            or (
                found[0].is_likely
                and _talks(found)
                and (len(found) > 1 or name in answers or not _is_field(found[0], lines))
            )
        ]
        if suspects:
            raise _asked([found[0] for name, found in alone.items() if name in suspects])

    def _check_quoted(self, lines: Sequence[Line]) -> None:
        """Raise OptionError for another name of a role that comes once, between messages under the usual name: the other side may
        quote it."""
        talks = system_talks([line.role for line in lines])
        known = [line for line in lines if _side(line) is not None and (talks or line.role != "system")]
        counts = Counter(line.name for line in known)
        for at, (before, line, after) in enumerate(zip(known, known[1:], known[2:], strict=False)):
            if line.time or line.name in self._roles or counts[line.name] > 1:
                continue
            between = _side(before) is not _side(line) is _side(after)
            if between and any(one.name == after.name for one in known[:at]):
                raise _asked([line], known)


def _without_headers(lines: Sequence[Line]) -> Sequence[Line]:
    """Drop lines that only assign a role (`Agent: Tom`): Tom gets it. Return all lines if another name with a
    role speaks too."""
    speak = {line.name for line in lines if line.role is None}
    known = {line.texts[0].strip().casefold(): line.role for line in lines if _side(line) is not None}
    if not known or not speak.issuperset(known):
        return lines
    rest = [line for line in lines if _side(line) is None]
    for line in rest:
        line.role = line.role or known.get(line.name)
    return rest


def _check_unlikely(lines: Sequence[Line], named: Sequence[Line], unknown: Sequence[Line]) -> None:
    """One role speaks. Raise OptionError where what is hardly a name begins the text, or comes again as often as that role."""
    counts = Counter(line.name for line in unknown)
    often = [line for line in unknown if counts[line.name] > max(1, len(named) // 2 - 1)]
    begins = unknown[:1] if unknown[:1] == lines[:1] and _sides(lines) == {Speaker.ASSISTANT} else []
    if often or begins:
        raise _asked(often or begins, named)


def _shape(line: Line) -> str:
    """The time before a name, whatever it is: times in a message, as of a timetable, are often written in another way."""
    return re.sub(r"\d+", "0", line.whole.partition(line.speaker)[0])


def _sides(lines: Sequence[Line]) -> set[Speaker]:
    return {side for line in lines if (side := _side(line)) is not None}


def _side(line: Line) -> Speaker | None:
    speaker = SPEAKERS.get(line.role or "")
    return speaker if speaker in _OTHER else None


def _kind(line: Line) -> Speaker:
    """The user, or the one who answers; tools and instructions are the recommender's."""
    return Speaker.USER if _side(line) is Speaker.USER else Speaker.ASSISTANT


def _may_speak(lines: Sequence[Line], sides: set[Speaker], unknown: Sequence[Line]) -> bool:
    """Return whether one of these names, none of which comes again, may be a speaker's: one begins, or says a sentence."""
    if sides:
        return (
            lines[0] is unknown[0] or _talks(unknown) or not all(_is_field(line, lines) for line in unknown)
        )
    return len(unknown) > 1 and _talks(unknown)


def _talks(lines: Sequence[Line]) -> bool:
    """Return whether somebody seems to say these lines: sentences, no values of a field."""
    return any(
        len(line.texts[0].split()) >= _FEW
        or line.texts[0].rstrip().endswith(("?", "!", "\uff1f"))
        or len(line.texts) > 1
        for line in lines
    )


def _is_field(line: Line, lines: Sequence[Line]) -> bool:
    """Return whether a name that comes once is written as a field of the message before it."""
    speakers = [one for one in lines if _side(one) is not None]
    before = lines[lines.index(line) - 1]
    first, *others = line.speaker.split()
    return (
        not line.texts[0]
        or not _FIELDS.isdisjoint(line.name.split())
        or line.speaker[-1].isdigit()
        or [before.whole, *before.texts[1:]][-1].rstrip().endswith(":")
        or (first[0].isupper() and any(word[0].islower() for word in others))
        or (first[0].islower() and not any(one.speaker[0].islower() for one in speakers))
        or (line.time is None and all(one.time for one in speakers))
    )


def _joined(lines: Sequence[Line]) -> list[Line]:
    joined: list[Line] = []
    for line in lines:
        if line.role not in (None, TEXT):
            joined.append(line)
        elif joined:
            joined[-1].texts += [line.whole, *line.texts[1:]]
    return joined


def _asked(lines: Sequence[Line], others: Sequence[Line] = ()) -> OptionError:
    listed = list({line.name: line.speaker for line in lines}.values())[:6]
    everyone = {line.name: line.speaker for line in (*lines, *others)}.values()
    field = listed[0] if len(listed) == 1 else "Price"
    return OptionError(
        "roles",
        f"it is not clear who speaks as {', '.join(listed)}. Give each name a role, for example by "
        f"{roles_example(list(everyone))}; exchange them if it is the other way round. A name that is no speaker is {TEXT}, as "
        f"{quoted(f'{field}={TEXT}')}.",
    )
