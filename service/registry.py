"""What can be had by name, imported at first use: an SDK costs up to a second and 40 MB."""

from importlib import import_module

_JUDGES = {"builtin": ".judges.builtin:BuiltinJudge"}


def load(target: str) -> object:
    """The attribute that `module:attribute` names, relative to this package."""
    module, _, attribute = target.partition(":")
    found: object = getattr(import_module(module, __package__), attribute)
    return found


def judge_class(name: str) -> object:
    """The class of an embedded judge. Raises KeyError for a name that is not registered."""
    return load(_JUDGES[name])
