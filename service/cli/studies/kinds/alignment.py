"""`crs-eval study alignment`: what a recommender does beside what people did in the same place (Behavior Alignment)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer

from ... import options
from ...inputs import Json, Source
from ..options import Budget, Crs, Fresh, Judges, Out, Yes
from ..study import Component, Study


def alignment(
    *,
    out: Out,
    humans: Annotated[
        list[str],
        typer.Option(
            help="Conversations with human recommenders. `metadata.strategy` of a reply is its label, if any."
        ),
    ],
    crs: Crs = None,
    judge: Judges = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option(help="Labels of the systems' replies: {reply, strategy}, with the ids of pairs/."),
    ] = None,
    preferences: Annotated[
        list[str] | None,
        typer.Option(
            help="People's preferences: {context, first, second, preferred: first, second or same, rater?}."
        ),
    ] = None,
    catalog: options.Catalog = None,
    budget: Budget = None,
    yes: Yes = False,
    fresh: Fresh = False,
    at_once: options.AtOnce = options.AT_ONCE,
    url: options.Url = None,
    api_key: options.Key = None,
) -> None:
    """Behavior Alignment: each human context is played to the recommender, and its reply set beside the person's."""
    from ...inputs import json_digest, objects, read_logs
    from ..conduct import Setup, conduct
    from ..estimate import BUILTIN

    sources, _ = read_logs(humans)
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    asked = Asked(
        sources,
        [name for name in judges if name != BUILTIN],
        objects(strategies) if strategies else [],
        objects(preferences) if preferences else [],
    )
    setup = Setup(
        out=out,
        crs=crs or [],
        judges=judges,
        catalog=catalog,
        budget=budget,
        yes=yes,
        fresh=fresh,
        at_once=at_once,
        url=url,
        key=api_key,
        files={"humans": json_digest([source.log for source in sources])},
    )
    systems = setup.recommenders
    asked.check(systems)
    from ..parts.alignment import run

    conduct(STUDY, setup, asked.components(systems), lambda asking: run(asking, asked, systems))


@dataclass(frozen=True)
class Asked:
    """The options of a run. `models` label strategies; the pair classifier always judges."""

    humans: Sequence[Source]
    models: Sequence[str]
    strategies: Sequence[Json] = field(default_factory=list)
    preferences: Sequence[Json] = field(default_factory=list)

    def check(self, systems: Sequence[str]) -> None:
        """Raise CommandError without a recommender, and for two conversations of one name."""
        from ...exits import CommandError

        if not systems:
            raise CommandError("Name a recommender: --crs mine=http://localhost:9000/reply")
        names = [one.conversation for one in self.humans]
        for one in self.humans:
            if names.count(one.conversation) > 1:
                raise CommandError(
                    f"{one.place}: two conversations are called {one.conversation!r}; give each an `id`."
                )

    def components(self, systems: Sequence[str]) -> list[Component]:
        """The models' calls: each side of a dialogue once, the person's for all systems."""
        from ..estimate import TOKENS

        dialogues = len(self.humans) * (1 + len(systems))
        return [Component("strategies", name, dialogues, *TOKENS["strategy"]) for name in self.models]


STUDY = Study(
    name="alignment",
    place=40,
    says="Behavior Alignment: replies to human contexts, strategies compared by three methods; agreement with preferences.",
    papers=("alignment",),
    command=alignment,
)
