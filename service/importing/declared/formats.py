"""Declared formats as formats."""

from functools import partial
from importlib.resources.abc import Traversable

from ..format import Format, Limit
from ..reading.documents import Kind
from .declaration import declared
from .reading import read
from .samples import sample


def declared_format(file: Traversable) -> Format:
    """The format that a TOML file declares. Raises TypeError for a field that no declaration has."""
    found = declared(file)
    kinds = (Kind.TEXT,) if found.line else (Kind.JSON, Kind.TABLE) if found.table else (Kind.JSON,)
    return Format(
        name=found.name,
        reads=found.reads,
        described=found.described,
        fits=found.claims,
        read=partial(read, found),
        sample=partial(sample, found.sample),
        kinds=kinds,
        general=found.general,
        limits=frozenset(Limit[name] for name in found.limits),
    )
