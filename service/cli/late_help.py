"""Help that names what a registry holds. It is computed when help is asked for: other runs do not load the registry."""

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand, TyperOption


def late_help(**told: Callable[[], str]) -> type[TyperCommand]:
    """The class of a command whose options, by the names of their parameters, have this help."""

    class LateHelp(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            for parameter in self.params:
                if isinstance(parameter, TyperOption) and parameter.name in told:
                    parameter.help = told[parameter.name]()
            super().format_help(ctx, formatter)

    return LateHelp
