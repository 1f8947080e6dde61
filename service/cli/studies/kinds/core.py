"""`crs-eval study core`: twelve factors and a debate over sessions of simulated users (CoRE)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ....domain.rubric import Variant
from ... import options
from ...inputs import Json, Source
from ..options import Budget, Crs, Fresh, Humans, Judges, Out, UserModel, Yes
from ..study import Component, Study

ROUNDS = 4


def core(
    *,
    out: Out,
    users: Annotated[
        list[str],
        typer.Option(
            help="Users: logs with `ground_truth` and empty `messages`. `metadata.dataset` divides tables."
        ),
    ],
    crs: Crs = None,
    judge: Judges = None,
    user_model: UserModel = None,
    seeds: Annotated[int, typer.Option(help="Seeds of the simulator for each user.", min=1, max=20)] = 1,
    rounds: Annotated[int, typer.Option(help="Rounds of a debate at most.", min=1, max=10)] = ROUNDS,
    stop: Annotated[bool, typer.Option(help="Stop a debate when all roles agree.")] = True,
    debate: Annotated[bool, typer.Option(help="Let roles debate the verdicts.")] = True,
    samples: options.Samples = None,
    variant: options.VariantOption = Variant.PUBLISHED,
    labels: Annotated[
        list[str] | None,
        typer.Option(help="People's ratings of sessions of this run: {conversation, factor, rater, score}."),
    ] = None,
    humans: Humans = None,
    catalog: options.Catalog = None,
    budget: Budget = None,
    yes: Yes = False,
    fresh: Fresh = False,
    at_once: options.AtOnce = options.AT_ONCE,
    url: options.Url = None,
    api_key: options.Key = None,
) -> None:
    """CoRE: twelve factors and a debate over sessions of simulated users."""
    from ...inputs import json_digest, objects, read_logs
    from ..conduct import Setup, conduct
    from ..estimate import BUILTIN

    sources, _ = read_logs(users)
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    asked = Asked(
        sources,
        user_model,
        seeds,
        rounds if debate else 0,
        stop,
        samples,
        variant,
        objects(labels) if labels else [],
        [source.log for source in read_logs(humans)[0]] if humans else [],
    )
    setup = Setup(
        out=out,
        crs=crs or [],
        judges=judges,
        user_model=user_model,
        catalog=catalog,
        budget=budget,
        yes=yes,
        fresh=fresh,
        at_once=at_once,
        url=url,
        key=api_key,
        files={
            "users": json_digest([source.log for source in sources]),
            "seeds": seeds,
            "rounds": asked.rounds,
            "stop": stop,
            "samples": samples,
            "variant": variant,
        },
    )
    systems = setup.recommenders
    asked.check(systems)
    from ..parts.core import run

    conduct(
        STUDY, setup, asked.components(systems, judges), lambda asking: run(asking, asked, systems, judges)
    )


@dataclass(frozen=True)
class Asked:
    """The options of a run. `rounds` is 0 where no debate is wanted; without `stop` every debate has all of them."""

    users: Sequence[Source]
    user_model: str | None
    seeds: int
    rounds: int
    stop: bool
    samples: int | None
    variant: Any
    labels: Sequence[Json]
    humans: Sequence[Json]

    def check(self, systems: Sequence[str]) -> None:
        """Raise CommandError for users that the simulator cannot play, and without a recommender."""
        from ..parts.sessions import check_wanted

        check_wanted(self.users, systems)

    def components(self, systems: Sequence[str], judges: Sequence[str]) -> list[Component]:
        """The models' calls: messages of users, verdicts, statements of debates."""
        from ..estimate import TOKENS

        sessions = len(self.users) * self.seeds * len(systems)
        found = []
        if self.user_model:
            found.append(Component("users", self.user_model, sessions * 5, *TOKENS["target"]))
        for judge in judges:
            verdicts = sessions * 12 * (self.samples or 1)
            found.append(Component("factors", judge, verdicts, *TOKENS["factor"]))
            found.append(Component("debates", judge, sessions * 4 * self.rounds, *TOKENS["statement"]))
        return found

    def simulator(self, _: Source, seed: int) -> dict[str, Any]:
        """The target user of section 6.4; by rule without a model."""
        if self.user_model is None:
            return {"type": "scripted", "seed": seed, "max_rounds": 5}
        return {"type": "target", "judge": self.user_model, "seed": seed, "min_rounds": 3, "max_rounds": 5}


STUDY = Study(
    name="core",
    place=10,
    says="CoRE: target users, twelve factors, a debate; tables by system, judge, role and round, agreement with people.",
    papers=("core", "ievalm"),
    command=core,
)
