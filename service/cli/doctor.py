"""`crs-eval doctor`: which factors can be judged with the fields of some logs, and which fields to add."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..domain.plurals import counted, listed
from ..importing.entries import Fault
from .exits import CommandError
from .judge_commands import print_lines, split
from .options import ReadingOptions, spread

if TYPE_CHECKING:
    from ..domain.rubric import Factor
    from ..scoring.readiness import Readiness

ADDITIONS: Mapping[str, Any] = MappingProxyType({
    "replies": {"messages": [{"role": "assistant", "content": "Try the Lund jacket."}]},
    "recommendations": {
        "messages": [{"role": "assistant", "content": "Try this.", "recommendations": ["Lund jacket"]}]
    },
    "messages.thoughts": {"messages": [{"role": "user", "content": "Not that.", "thoughts": "I am disappointed: it is too thin."}]},
    "ground_truth": {"ground_truth": ["Lund jacket"]},
    "user.preferences": {"user": {"preferences": "Likes light jackets, dislikes wool."}},
    "domain": {"domain": "shopping"},
    "items": {"items": [{"title": "Lund jacket", "attributes": {"colour": ["green"]}}]},
    "items.popularity": {"items": [{"title": "Lund jacket", "popularity": 0.9}]},
})  # fmt: skip
"""An example of each field that a factor may need, as a part of a log."""
_OPTIONS = {
    "domain": "--domain shopping  # only movie and film raise the embedded judge's confidence",
    "items": "--catalog FILE",
    "recommendations": "--map recommendations=FIELD",
}
"""Options of `crs-eval score` that do the same for all logs, or name the field that has it."""
_MOST_NAMED = 6
MOST = 100
"""Logs that are looked at: more of one source lack the same."""


@spread
def doctor(
    logs: Annotated[
        list[str],
        typer.Argument(
            help="Files or folders in any format that crs-eval import reads; - for standard input.",
            show_default=False,
        ),
    ],
    *,
    factors: Annotated[
        str | None,
        typer.Option(help="Factors or protocols, separated by commas. Default: all.", show_default=False),
    ] = None,
    read: ReadingOptions,
) -> None:
    """Check which factors can be judged with your logs, which fields are missing, and how to add them. Calls no model."""
    from ..judges.embedded import EmbeddedJudge
    from ..scoring.readiness import readiness
    from ..usecases.wire.log import Log
    from .importing.reading import imported, wanted
    from .names import chosen_factors

    known = chosen_factors(split(factors))
    faults: list[Fault] = []
    made, under_way = imported(logs, faults, asked=wanted(read))
    print_lines(*under_way.summary, *map(str, faults))
    if not made:
        raise CommandError(
            "No conversation was read. See docs/importing.md for the formats, and for how to name fields and speakers."
        )
    parsed = [Log.model_validate_json(json.dumps(one.log)).value() for one in made[:MOST]]
    found = asyncio.run(readiness(parsed, known, EmbeddedJudge()))
    for line in _lines(found, known, len(made)):
        typer.echo(line)
    if faults:
        raise CommandError(
            f"{counted(len(faults), 'place')} could not be read. crs-eval score needs --skip-unreadable."
        )


def _lines(found: "Readiness", factors: "Sequence[Factor]", logs: int) -> Iterator[str]:
    yield f"{counted(found.logs, 'log')}{f' of {logs}' if logs > found.logs else ''}, {counted(len(factors), 'factor')}. Number of logs in which each factor can be judged:"
    yield ""
    width = max(len(factor.slug) for factor in factors)
    yield f"{'':{width}}  with a model  without"
    for factor in factors:
        silent = ", ".join(f"{code} {n}" for code, n in found.silent.get(factor.slug, {}).items())
        counts = f"{found.by_model[factor.slug]:>12}  {found.without_model[factor.slug]:>7}"
        yield f"{factor.slug:{width}}  {counts}  {silent}".rstrip()
    for name in found.fields():
        yield ""
        yield from _advice(found, name)


def _advice(found: "Readiness", name: str) -> Iterator[str]:
    """Yield the effects of a field, and the ways to add it."""
    verbs = {"needed to judge": found.lacking, "raises the confidence of": found.unsure}
    factors = {verb: list(by_field.get(name, ())) for verb, by_field in verbs.items()}
    effects = (f"{verb} {listed(slugs, _MOST_NAMED)}" for verb, slugs in factors.items() if slugs)
    yield f"{name}: {'; '.join(effects)}"
    if name in ADDITIONS:
        yield f"  add to each log: {json.dumps(ADDITIONS[name], ensure_ascii=False)}"
    if name in _OPTIONS:
        yield f"  or for all logs: crs-eval score FILES {_OPTIONS[name]}"
