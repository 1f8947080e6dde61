"""Parameters that models take: known by their families, and learnt from what they refuse."""

from fnmatch import fnmatchcase

from .capability import UNKNOWN_MODEL, Capability
from .providers import providers


def known_capability(protocol: str, model: str) -> Capability:
    """Return what the providers of a protocol declare of a model, `UNKNOWN_MODEL` where they declare
    nothing."""
    name = model.lower()
    for provider in providers().values():
        for family in provider.families if provider.protocol == protocol else ():
            if any(fnmatchcase(name, pattern) for pattern in family.models):
                return family.takes
    return UNKNOWN_MODEL


class Capabilities:
    """Parameters that the models of one process take: what is known, less what they were found to refuse."""

    def __init__(self) -> None:
        self._learnt: dict[tuple[str, str], Capability] = {}

    def of(self, upstream: str, protocol: str, model: str) -> Capability:
        """Return what to send to a model of an upstream."""
        return self._learnt.get((upstream, model)) or known_capability(protocol, model)

    def learn(self, upstream: str, model: str, capability: Capability) -> None:
        """Remember what a model was found to take."""
        self._learnt[upstream, model] = capability

    def refused(self, upstream: str, protocol: str, model: str, parameter: str) -> bool:
        """Remember that a model refuses a parameter; whether that leaves another way to ask."""
        before = self.of(upstream, protocol, model)
        after = before.without(parameter)
        self.learn(upstream, model, after)
        return after != before
