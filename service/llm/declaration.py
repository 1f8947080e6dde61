"""A provider of models as its module declares it: where it is, what it speaks, and what its models take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .capability import Capability
from .sdk_adapter import SDKAdapter


@dataclass(frozen=True)
class ModelFamily:
    """Models that take the same. `models` are shell-style patterns, compared in lower case with the whole name of a model."""

    models: Sequence[str]
    takes: Capability


@dataclass(frozen=True, kw_only=True)
class ProviderDeclaration:
    """A row of the registry. Judges of a provider are named `<name>:<model>`.

    It has two settings: its key, read from `key`, the variable that its SDK reads, and `CRS_EVAL_<NAME>_BASE_URL`. Its judges can be
    had where one of the two is set."""

    name: str
    place: int
    title: str
    base_url: str
    key: str
    sdk: str
    """The package that it calls with: its log lines are kept out, and nothing but its adapter imports it."""
    protocol: str
    """The protocol on the wire. Providers of one protocol share what is known of models."""
    families: Sequence[ModelFamily]
    """Parameters that families of its models take, so that no call is wasted on finding out: the first that fits decides, its own before those
    of other providers of the protocol. A model that none fits is asked with the schema and all sampling parameters; an error that names a parameter drops it."""
    adapter: Callable[[str, str | None, int], SDKAdapter]
    """Makes the client of a base URL, with a key (None: none) and so many connections. It is what imports the SDK."""
    tokens: str
    """An example of how tokens are counted, in words, as the docs tell it."""
