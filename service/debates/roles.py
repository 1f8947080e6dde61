"""The roles of a debate: who speaks, what each cares about, and which factors it answers for.

A role is a file in `roles/` (CoRE, section 4.2 and tables 34-37, in words of our own) or comes with
a request. Adding one is adding a file.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.dataclasses import dataclass as checked_dataclass

from ..domain.conversation import UNKNOWN_DOMAIN
from ..errors import ConfigurationError, InvalidRequest
from ..text.toml_file import read_toml, wrong_toml

FOLDER = Path(__file__).parent / "roles"
FEWEST, MOST = 3, 8
"""The number of roles that a debate may have. With fewer than three scores no overall is given."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@checked_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class DebateRole:
    """One participant. `who` may hold `{field}`, filled from `fields` by the log's domain.

    `notes` maps a domain to what changes there."""

    slug: str
    title: Text
    who: Text
    factors: Annotated[tuple[str, ...], Field(min_length=1)]
    cares: tuple[Text, ...] = ()
    expertise: tuple[Text, ...] = ()
    fields: Mapping[str, Text] = field(default_factory=dict)
    notes: Mapping[str, Text] = field(default_factory=dict)
    default: bool = True
    revision: int = 1
    sees_tools: bool = False
    """True where it reads calls and results of tools, which the user did not see."""

    def identity(self, domain: str) -> str:
        """Return who the role is in a domain, as a sentence to the debater."""
        known = self.fields.get(domain.casefold(), self.fields.get("other", ""))
        # The domain is any word of the caller's, and this sentence is an instruction: letters only.
        stated = "" if domain == UNKNOWN_DOMAIN else domain
        word = re.sub(r"[^\w '-]+", " ", stated).strip()[:40] or "this subject"
        return self.who.replace("{field}", known.replace("{domain}", word))

    def note(self, domain: str) -> str | None:
        """Return what changes for this role in a domain, None where nothing does."""
        return self.notes.get(domain.casefold())

    @property
    def fingerprint(self) -> str:
        """12 hex digits that change whenever anything about the role does."""
        plain = [
            *(self.slug, self.title, self.who, self.factors, self.cares, self.expertise, self.revision),
            *(sorted(self.fields.items()), sorted(self.notes.items()), self.sees_tools),
        ]
        return hashlib.sha256(json.dumps(plain).encode()).hexdigest()[:12]


def load_roles(factors: Iterable[str], folder: Path = FOLDER) -> Mapping[str, DebateRole]:
    """All roles of a folder by slug, in order of their slugs. `factors` are the slugs that exist.

    Raises ConfigurationError naming file and line of the first thing wrong."""
    known = frozenset(factors)
    roles = {path.stem: _load(path, known) for path in sorted(folder.glob("*.toml"))}
    if len(default_roles(roles)) < FEWEST:
        raise ConfigurationError(f"{folder}: a debate needs at least {FEWEST} roles with default = true")
    return MappingProxyType(roles)


def default_roles(roles: Mapping[str, DebateRole]) -> tuple[DebateRole, ...]:
    """The roles of a request that names none."""
    return tuple(role for role in roles.values() if role.default)


def factors_of(roles: Iterable[DebateRole]) -> tuple[str, ...]:
    """The factors that some role answers for, each once: what must be scored before the debate."""
    return tuple(dict.fromkeys(slug for role in roles for slug in role.factors))


@dataclass(frozen=True)
class RoleRequest:
    """A participant: one of the service's roles by `name` alone, or one of the caller's own, with
    `description` and `factors`."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S", examples=["Librarian"])]
    description: Annotated[
        Annotated[str, Field(min_length=1, max_length=4000)] | None,
        Field(examples=["You run a public library and know what readers come back for."]),
    ] = None
    """Description of the role and its concerns, addressed to it."""
    factors: Annotated[list[str], Field(min_length=1, max_length=40)] | None = None
    """Slugs of the factors that it answers for."""


def wanted_roles(
    wanted: Sequence[RoleRequest], shipped: Mapping[str, DebateRole], factors: Iterable[str]
) -> tuple[DebateRole, ...]:
    """The roles of a request, in its order; the shipped default ones where it names none.

    Raises InvalidRequest for fewer than 3 or more than 8, a factor that does not exist, or a name used twice. Raises it also for
    a name that is no shipped role and comes without description and factors."""
    if not wanted:
        return default_roles(shipped)
    if not FEWEST <= len(wanted) <= MOST:
        raise InvalidRequest.at("/roles", f"{len(wanted)} roles.", f"Give {FEWEST} to {MOST} roles.")
    known = frozenset(factors)
    roles = tuple(_wanted(i, role, shipped, known) for i, role in enumerate(wanted))
    for i, role in enumerate(roles):
        if any(role.slug == earlier.slug for earlier in roles[:i]):
            raise InvalidRequest.at(
                f"/roles/{i}/name", f"{role.title!r} is taken.", "Give each role a different name."
            )
    return roles


def slug_of(name: str) -> str:
    """The slug of a role's name: `Night-shift Nurse` is `night-shift-nurse`."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")


def _wanted(
    index: int, wanted: RoleRequest, shipped: Mapping[str, DebateRole], known: frozenset[str]
) -> DebateRole:
    at = f"/roles/{index}"
    slug = slug_of(wanted.name)
    if not slug:
        raise InvalidRequest.at(f"{at}/name", "the name contains no letter or digit.", "Name the role.")
    if wanted.description is None and not wanted.factors:
        if slug not in shipped:
            raise InvalidRequest.at(
                f"{at}/name",
                f"{wanted.name!r} is not a role of this service.",
                f"Give description and factors, or one of: {', '.join(shipped)}.",
            )
        return shipped[slug]
    if not (wanted.description and wanted.description.strip()) or not wanted.factors:
        raise InvalidRequest.at(at, "the role is incomplete.", "Give both description and factors.")
    for i, factor in enumerate(wanted.factors):
        if factor not in known:
            raise InvalidRequest.at(
                f"{at}/factors/{i}", f"there is no factor {factor!r}.", "See GET /factors for their slugs."
            )
    title = " ".join(wanted.name.split()).replace('"', "'")
    return DebateRole(slug, title, wanted.description.strip(), tuple(dict.fromkeys(wanted.factors)))


def _load(path: Path, known: frozenset[str]) -> DebateRole:
    read = read_toml(path, DebateRole)
    if read.slug != path.stem:
        raise wrong_toml(path, ("slug",), f"the file of role {read.slug!r} must be called {read.slug}.toml")
    for slug in read.factors:
        if slug not in known:
            raise wrong_toml(path, ("factors",), f"there is no factor {slug!r}")
    if len(set(read.factors)) < len(read.factors):
        raise wrong_toml(path, ("factors",), "a factor is named twice")
    if "{field}" in read.who and "other" not in read.fields:
        raise wrong_toml(path, ("who",), "{field} needs a [fields] table with an entry `other`")
    return read
