"""All factors by slug, read and validated once at start-up."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import ValidationError

from ..domain.rubric import Factor, Protocol
from ..errors import ConfigurationError
from .document import FactorDocument

FOLDER = Path(__file__).parent


class FactorCatalogue(Mapping[str, Factor]):
    """The factors by slug, in the order of their protocols and positions."""

    def __init__(self, factors: Mapping[str, Factor]) -> None:
        self._factors = dict(factors)

    def __getitem__(self, slug: str) -> Factor:
        return self._factors[slug]

    def __iter__(self) -> Iterator[str]:
        return iter(self._factors)

    def __len__(self) -> int:
        return len(self._factors)

    def of(self, protocol: Protocol) -> tuple[Factor, ...]:
        """The factors of one protocol."""
        return tuple(factor for factor in self.values() if factor.protocol is protocol)

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        """The protocols that have factors here."""
        return tuple(dict.fromkeys(factor.protocol for factor in self.values()))


def load_factors(folder: Path = FOLDER) -> FactorCatalogue:
    """Read every `<protocol>/<slug>.toml` below `folder`.

    Raises ConfigurationError that names the file and, where it can be told, the line."""
    factors = [_load(path) for path in sorted(folder.glob("*/*.toml"))]
    if not factors:
        raise ConfigurationError(f"{folder}: no factor files (<protocol>/<slug>.toml) found")
    return FactorCatalogue({factor.slug: factor for factor in sorted(factors, key=_position)})


def _position(factor: Factor) -> tuple[int, int, str]:
    return list(Protocol).index(factor.protocol), factor.position, factor.slug


def _load(path: Path) -> Factor:
    text = path.read_text(encoding="utf-8")
    try:
        document = FactorDocument.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:  # its message ends in "(at line N, column M)"
        raise ConfigurationError(f"{path}: not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        line = _line_of(text, [str(part) for part in first["loc"]])
        raise ConfigurationError(f"{path}, line {line}: {place}: {first['msg']}") from error
    if (document.protocol, document.slug) != (path.parent.name, path.stem):
        raise ConfigurationError(
            f"{path}, line 1: declares {document.protocol}/{document.slug}; "
            f"its place says {path.parent.name}/{path.stem}"
        )
    return document.factor()


def _line_of(text: str, location: list[str]) -> int:
    """The line that defines the deepest part of `location` found, going down one part at a time."""
    lines = text.splitlines()
    at = 0
    for part in location:
        for index in range(at, len(lines)):
            line = lines[index].strip()
            if line.startswith((f"{part} =", f"{part}=", f"[{part}]", f"[{part}.")) or line.endswith(
                f".{part}]"
            ):
                at = index
                break
    return at + 1
