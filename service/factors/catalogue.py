"""All factors by slug, read and validated once at start-up."""

from collections.abc import Iterable
from pathlib import Path

from ..domain.rubric import Factor, Protocol
from ..errors import ConfigurationError
from ..text.toml_file import read_toml
from .document import CustomDocument, FactorDocument

FOLDER = Path(__file__).parent
CALLERS = "custom-"
"""The prefix of the slugs of factors that callers send."""


class FactorCatalogue(dict[str, Factor]):
    """The factors by slug, in the order of their protocols and positions. Never changed once it is made."""

    def joined(self, own: Iterable[Factor]) -> "FactorCatalogue":
        """Return these factors and others, which come last."""
        return FactorCatalogue({**self, **{factor.slug: factor for factor in own}})

    def of(self, protocol: Protocol) -> tuple[Factor, ...]:
        return tuple(factor for factor in self.values() if factor.protocol is protocol)

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        return tuple(dict.fromkeys(factor.protocol for factor in self.values()))


def load_factors(folder: Path = FOLDER, own: Path | None = None) -> FactorCatalogue:
    """Read every `<protocol>/<slug>.toml` below `folder`, and the operator's factors: every `.toml` below `own`, of the
    protocol `custom`.

    Raises ConfigurationError that names the file and, where known, the line."""
    factors = [_load(path) for path in sorted(folder.glob("*/*.toml"))]
    if not factors:
        raise ConfigurationError(f"{folder}: no factor files (<protocol>/<slug>.toml) found")
    shipped = FactorCatalogue({factor.slug: factor for factor in sorted(factors, key=_position)})
    return shipped if own is None else shipped.joined(_own(own, shipped))


def _own(folder: Path, shipped: FactorCatalogue) -> list[Factor]:
    paths = sorted(folder.rglob("*.toml")) if folder.is_dir() else []
    if not paths:
        raise ConfigurationError(f"{folder}: no factor files (<slug>.toml) found")
    found: dict[str, Path] = {}
    factors = []
    for path in paths:
        factor = _load(path, CustomDocument)
        if factor.slug in shipped or factor.slug in found:
            other = found.get(factor.slug, "this service")
            raise ConfigurationError(
                f"{path}, line 1: {factor.slug} is a factor of {other} already; choose another slug"
            )
        if factor.slug in set(Protocol) or factor.slug.startswith(CALLERS):
            raise ConfigurationError(
                f"{path}, line 1: {factor.slug}: a protocol has this name, or it begins with {CALLERS!r}, as callers' "
                "own factors do; choose another slug"
            )
        found[factor.slug] = path
        factors.append(factor)
    return sorted(factors, key=_position)


def _position(factor: Factor) -> tuple[int, int, str]:
    return list(Protocol).index(factor.protocol), factor.position, factor.slug


def _load(path: Path, form: type[FactorDocument] = FactorDocument) -> Factor:
    document = read_toml(path, form)
    place = document.protocol if form is CustomDocument else path.parent.name
    if (document.protocol, document.slug) != (place, path.stem):
        raise ConfigurationError(
            f"{path}, line 1: declares {document.protocol}/{document.slug}; its place says {place}/{path.stem}"
        )
    return document.factor()
