"""The data behind simulated users: personas, domains, sentences, other words for attributes."""

import math
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any

from ..domain.conversation import User
from ..errors import InvalidRequest

OWN = " describe your own by `persona_description`,"
"""The way out for a persona that is not one of CONCEPT's."""


@dataclass(frozen=True, slots=True)
class Persona:
    """A mood and an age: for an LLM a description, for the scripted user its habits.

    `patience` counts the unhelpful replies it bears, `reveals` the preferences it tells in one message. `questions` counts what
    it asks about an item before it takes it."""

    description: str
    patience: int
    reveals: int
    questions: int
    opening: Sequence[str]
    pleased: Sequence[str]
    displeased: Sequence[str]
    speech: Sequence[str]


@dataclass(frozen=True, slots=True)
class Style:
    """Words for a domain's items: "film", "films", "watch", "seen", "tonight"."""

    noun: str
    plural: str
    verb: str
    past: str
    moment: str

    @property
    def slots(self) -> dict[str, str]:
        """The words by the names that sentences use."""
        return asdict(self)


@cache
def shipped(name: str) -> dict[str, Any]:
    """Return one of the TOML files in `data`."""
    text = resources.files(__package__).joinpath("data", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def persona_names() -> tuple[str, ...]:
    """The twelve personas of CONCEPT."""
    return tuple(shipped("personas")["persona"])


def age_groups() -> tuple[str, ...]:
    """The four age groups of CONCEPT."""
    return tuple(shipped("personas")["age_group"])


def persona_of(user: User) -> Persona:
    """The persona of a user, both parts in any case; an ordinary person where it names none. One that the user
    describes itself has the habits of an ordinary person.

    Raises InvalidRequest for a persona without a description, or an age group, that is not one of CONCEPT's."""
    data = shipped("personas")
    own = user.persona_description and user.persona_description.strip()
    mood = None if own else _named(user.persona, data["persona"], "persona")
    age = _named(user.age_group, data["age_group"], "age_group")
    traits: Mapping[str, Any] = data["persona"][mood] if mood else data["plain"]
    words: Mapping[str, Any] = data["age_group"][age] if age else data["plain"]
    described = [own or traits["description"]] + ([words["description"]] if age else [])
    return Persona(**{**traits, "description": " ".join(described), "speech": words["speech"]})


def _named(name: str | None, table: Mapping[str, Any], field: str) -> str | None:
    if name is None or not name.strip():
        return None
    if (key := name.strip().casefold()) in table:
        return key
    raise InvalidRequest.at(
        f"/log/user/{field}",
        f"there is no {field} {name!r}",
        f"use one of {', '.join(table)},{OWN if field == 'persona' else ''} or leave it out",
    )


def style_of(domain: str) -> Style:
    """Return how people speak of a domain's items; for an unknown domain in words that fit any."""
    table = shipped("domains")
    return Style(**table.get(domain.casefold(), table["other"]))


def own_words(attribute: str, rng: random.Random) -> str | None:
    """Another way to put an attribute, None where the table knows none."""
    ways: Sequence[str] | None = shipped("wording")["words"].get(attribute.casefold())
    return rng.choice(ways) if ways else None


def sentence(act: str, rng: random.Random, slots: Mapping[str, str]) -> str:
    """One of the sentences of an act, its slots filled. Raises KeyError for a missing slot."""
    return _filled(rng.choice(shipped("phrases")[act]), slots)


def fresh_sentence(
    act: str, rng: random.Random, slots: Mapping[str, str], said: str, temperature: float | None = None
) -> str:
    """One of the sentences of an act, if possible one that `said` does not hold. The first ones are the likelier the lower the
    temperature: at 0 it is always the first. Without one all are alike. Raises KeyError for a missing slot."""
    if temperature is None:
        drawn = [sentence(act, rng, slots) for _ in range(8)]
        return next((text for text in drawn if text not in said), drawn[0])
    ways = [_filled(template, slots) for template in shipped("phrases")[act]]
    fresh = [way for way in ways if way not in said] or ways
    if temperature == 0:
        return fresh[0]
    return rng.choices(fresh, [math.exp(-rank / temperature) for rank in range(len(fresh))])[0]


def _filled(template: str, slots: Mapping[str, str]) -> str:
    return capital(template.format_map({**slots, "Wants": capital(slots.get("wants", ""))}))


def joined(words: Sequence[str]) -> str:
    """Words as a person lists them: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) if words else ""


def capital(text: str) -> str:
    """A text that begins with a capital."""
    return text[:1].upper() + text[1:]
