"""Help that names what a registry holds. It is computed when help is asked for: other runs do not load the registry."""

from collections.abc import Callable, Mapping
from typing import Any

from typer.core import TyperCommand, TyperOption

from .exits import CommandError


def _factors() -> str:
    from .names import factors_here

    known = factors_here()
    protocols = ", ".join(
        f"{one} ({', '.join(factor.slug for factor in known.of(one))})" for one in known.protocols
    )
    return f"Factors or protocols, separated by commas; core by default. There are {protocols}."


def _users() -> str:
    from ..simulators.kinds import kinds

    talkers = (f"{kind.name}: {kind.says}" for kind in kinds().values() if kind.build is not None)
    return f"Who plays the user. {'; '.join(talkers)}."


def _metrics() -> str:
    from ..metrics import METRICS

    return f"Metrics, separated by commas. Default: all of {', '.join(METRICS)}."


_HELP: Mapping[str, Callable[[], str]] = {"--factors": _factors, "--user": _users, "--metrics": _metrics}


class LateHelp(TyperCommand):
    """A command whose options of these names have this help, unless they have their own. Without options of `crs-eval import`, it says
    that files can be imported first."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = {name for parameter in self.params for name in parameter.opts}
        for name in {arg.partition("=")[0] for arg in args} & {"--map", "--roles"} - known:
            raise CommandError(
                f"{ctx.info_name} takes no {name}: import the file first: crs-eval import FILE {name} ... -o logs.jsonl"
            )
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            if isinstance(parameter, TyperOption) and not parameter.help and parameter.opts[0] in _HELP:
                parameter.help = _HELP[parameter.opts[0]]()
        super().format_help(ctx, formatter)
