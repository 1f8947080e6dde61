"""The platforms: a file each, which declares its SINK. Adding one is adding a file here."""

from importlib import import_module
from pkgutil import iter_modules

from ..sink import Sink


def sink_names() -> list[str]:
    """Return the names of all platforms, by the names of their files."""
    return sorted(module.name for module in iter_modules(__path__))


def load_sink(name: str) -> Sink:
    """Return the platform of that name."""
    sink: Sink = import_module(f".{name}", __package__).SINK
    return sink
