"""Fields and speakers by the names that the caller gives: `--map content=utterance`, `--roles buyer=user`."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from ..imported import OptionError
from ..talk.labels import MAPPED
from ..talk.speakers import FIELDS, SPEAKERS, quoted
from .speakers import TEXT

OURS = (
    "conversation", "role", "content", "messages", "recommendations", "id", "created_at", "thoughts", "system", "domain",
    "user", "assistant", "rater", "ground_truth", "items",
)  # fmt: skip
"""The names that a field can be given."""
_MOST_SHOWN, _LONGEST = 20, 40
MOST = 100
"""Names that are looked for in every object of the data."""


def pairs(options: list[str] | None, name: str) -> dict[str, str]:
    """`a=b` and `a=b,c=d` as a mapping; a name on the left may have a comma, as in `Smith, John=user`. Raises OptionError for
    anything else."""
    found: dict[str, str] = {}
    begun = ""
    for part in ",".join(options or ()).split(","):
        begun = f"{begun},{part}" if begun.strip() else part
        left, sign, right = (one.strip() for one in begun.partition("="))
        if sign and not (left and right):
            break
        if sign:
            found[left], begun = right, ""
    if begun.strip():
        raise OptionError(name, f"{begun.strip()}: write it as name=name, several with commas between.")
    return found


def fields(given: Mapping[str, str]) -> dict[str, str]:
    """Names of fields as given. Raises OptionError for one that no message and no log has, and for more than `MOST`."""
    if len(given) > MOST:
        raise OptionError("map", f"{len(given)} names, where {MOST} are allowed.")
    for name in given:
        if name not in OURS and not (name.startswith(MAPPED) and name != MAPPED):
            raise OptionError(
                "map", f"{name}={given[name]}: {name} is none of {', '.join(OURS)}, label:<factor>."
            )
    return dict(given)


def roles(given: Mapping[str, str]) -> dict[str, str]:
    """Speakers by their names, in lower case. Raises OptionError for a speaker that a log does not have."""
    for speaker in given.values():
        if speaker not in SPEAKERS and speaker != TEXT:
            raise OptionError(
                "roles",
                f"{speaker} is not a role; use user, assistant, tool or developer, or {TEXT} for a word that is no name.",
            )
    return {" ".join(name.split()).casefold(): speaker for name, speaker in given.items()}


def option(fields: Mapping[str, str]) -> str:
    """Return the option of the command line that gives these fields their names."""
    return f"--map {quoted(','.join(f'{ours}={theirs}' for ours, theirs in fields.items()))}"


class Renaming:
    """Values with their fields under our names. `used` holds those of our names that something was found for."""

    def __init__(self, fields: Mapping[str, str], speakers: Mapping[str, str]) -> None:
        self.fields = fields
        self.speakers = speakers
        self.used: set[str] = set()
        self._seen: dict[str, None] = {}

    def unused(self) -> str | None:
        """Describe pairs that match nothing in the data, and its fields; None if all match."""
        pairs = {ours: theirs for ours, theirs in self.fields.items() if ours not in self.used}
        if not pairs:
            return None
        seen = list(self._seen)
        alike = [one for theirs in pairs.values() for one in get_close_matches(theirs, seen, n=1)]
        shown = ", ".join(one[:_LONGEST] for one in list(dict.fromkeys([*alike, *seen]))[:_MOST_SHOWN])
        named = ", ".join(f"{ours}={theirs}" for ours, theirs in pairs.items())
        return f"{named}: the data does not have this field.{f' It has {shown}.' if shown else ''}"

    def __call__(self, value: Any) -> Any:
        """The value renamed at any depth. A name may be a path (`content=message.text`)."""
        if isinstance(value, list):
            return [self(part) for part in value]
        if not isinstance(value, dict):
            return value
        if len(self._seen) < _MOST_SHOWN:
            self._seen.update(dict.fromkeys(map(str, value)))
        made = {name: self(part) for name, part in value.items()}
        for ours, theirs in self.fields.items():
            if theirs in made or theirs.partition(".")[0] in made:
                self._rename(made, ours, theirs)
        for field in FIELDS:
            given = made.get(field)
            name = given.get("name") if isinstance(given, dict) else given
            plain = name.strip().casefold() if isinstance(name, str) else ""
            if plain in self.speakers:
                role = self.speakers[plain]
                made[field] = {**given, "name": role} if isinstance(given, dict) else role
        return made

    def _rename(self, made: dict[str, Any], ours: str, theirs: str) -> None:
        found, holder, leaf = _at(made, theirs)
        if found is None or theirs == ours:
            self.used.update({ours} if found is not None else ())
            return
        self.used.add(ours)
        holder.pop(leaf)
        if ours in made:
            made[f"{ours} (given)"] = made[ours]
        made[ours] = found


def _at(value: dict[str, Any], path: str) -> tuple[Any, dict[str, Any], str]:
    """Return what stands at a path, the object that holds it, and its name there; None where nothing does.
    A name with a dot in it is looked for first."""
    if path in value:
        return value[path], value, path
    *names, leaf = path.split(".")
    for name in names:
        inner = value.get(name)
        if not isinstance(inner, dict):
            return None, value, leaf
        value = inner
    return value.get(leaf), value, leaf
