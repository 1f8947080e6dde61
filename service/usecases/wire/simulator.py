"""`simulator` in the body of `/simulate`: one flat object with the settings of all kinds of simulated users."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from ...simulators.kind import Backend, Kind, Setting
from ...simulators.kinds import kinds
from .model import WHOLE, Incoming, choice

if TYPE_CHECKING:
    SimulatorType = str
    SimulatorVariant = StrEnum
else:
    SimulatorVariant = choice(
        "SimulatorVariant",
        dict.fromkeys(name for kind in kinds().values() for name in kind.variants),
        "Readings of a simulated user.",
    )
    SimulatorType = choice(
        "SimulatorType", kinds(), "The kinds of simulated users; `paraphrase` rewords what a user said."
    )


def _named(backend: Backend) -> str:
    return _listed([kind.name for kind in kinds().values() if kind.backend is backend])


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _variants() -> str:
    """The ways to play a kind, as the contract describes them."""
    lines = []
    for kind in kinds().values():
        for number, (name, says) in enumerate(kind.variants.items()):
            lines.append(f"`{kind.name}`, `{name}`{'' if number else ' (default)'}: {says}.")
    return " ".join(lines)


class _Asked(Incoming):
    """A simulated user and its settings. Fields that a type does not know are refused."""

    type: SimulatorType
    judge: str | None = Field(
        None,
        description="The model that plays the user, `name:model`; by default the operator's choice. "
        f"{_named(Backend.RULES)} takes none; {_named(Backend.EITHER)} follows rules without one.",
        examples=["openai:some-model"],
    )
    seed: Annotated[int, Field(ge=0, le=2**31 - 1), WHOLE] | None = None
    """Seed of the rules' draws (0 by default) and of the model's calls (a fixed seed by default). The
    warning `seed_not_taken` names a model that takes none."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """The temperature that the model is asked at; 0 by default. The warning `temperature_not_taken` names
    a model that takes none. Rules vary their words less the lower it is; by default all their words are
    equally likely."""
    variant: SimulatorVariant | None = Field(None, description=_variants())

    @property
    def kind(self) -> Kind:
        return kinds()[self.type]

    @property
    def settings(self) -> Mapping[str, int]:
        """The settings of its kind that the request gives."""
        given = {name: getattr(self, name) for name in self.kind.settings}
        return {name: value for name, value in given.items() if value is not None}


def _settings() -> Iterator[tuple[str, Any]]:
    """A field for each setting that any kind has."""
    for name in dict.fromkeys(name for kind in kinds().values() for name in kind.settings):
        own = {kind.name: kind.settings[name] for kind in kinds().values() if name in kind.settings}
        bounds = Field(ge=min(one.least for one in own.values()), le=max(one.most for one in own.values()))
        yield name, (Annotated[int, bounds, WHOLE] | None, Field(None, description=_meaning(own)))


def _meaning(own: Mapping[str, Setting]) -> str:
    """A setting as the contract describes it: the kinds that have it, what it means, its defaults."""
    says = next((one.says for one in own.values() if one.says), "")
    if len(own) == 1:
        ((name, setting),) = own.items()
        return f"`{name}`: {f'{says}; ' if says else ''}{setting.default} by default."
    by_default: dict[int, list[str]] = {}
    for name, setting in own.items():
        by_default.setdefault(setting.default, []).append(name)
    *others, last = [f"{default} ({_listed(names)})" for default, names in by_default.items()]
    defaults = f"{', '.join(others)} or {last}" if others else last
    return f"{f'{says}; ' if says else ''}{defaults} by default."


if TYPE_CHECKING:
    Simulator = _Asked
else:
    Simulator = create_model("Simulator", __base__=_Asked, __doc__=_Asked.__doc__, **dict(_settings()))
