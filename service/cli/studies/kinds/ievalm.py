"""`crs-eval study ievalm`: attribute questions and free chat, recall, persuasiveness (iEvaLM)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ... import options
from ...inputs import Json, Source
from ..options import Budget, Crs, Fresh, Humans, Judges, Out, UserModel, Yes
from ..study import Component, Study

QUESTIONS, ROUNDS, SEED = 3, 5, 42


def ievalm(
    *,
    out: Out,
    users: Annotated[
        list[str], typer.Option(help="Users: logs with `ground_truth` and empty `messages`, as for `core`.")
    ],
    crs: Crs = None,
    judge: Judges = None,
    user_model: UserModel = None,
    questions: Annotated[
        int, typer.Option(help="Questions about attributes at most; 0 for free chat alone.", min=0, max=10)
    ] = QUESTIONS,
    rounds: Annotated[int, typer.Option(help="Rounds of free chat at most.", min=1, max=20)] = ROUNDS,
    seed: Annotated[int, typer.Option(help="The simulator's seed.", min=0)] = SEED,
    humans: Humans = None,
    catalog: options.Catalog = None,
    budget: Budget = None,
    yes: Yes = False,
    fresh: Fresh = False,
    at_once: options.AtOnce = options.AT_ONCE,
    url: options.Url = None,
    api_key: options.Key = None,
) -> None:
    """iEvaLM: attribute questions and free chat with users who have an item in mind."""
    from ...inputs import json_digest, read_logs
    from ..conduct import Setup, conduct
    from ..estimate import BUILTIN

    sources, _ = read_logs(users)
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    people = [source.log for source in read_logs(humans)[0]] if humans else []
    asked = Asked(sources, user_model, questions, rounds, seed, people)
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
            "questions": questions,
            "rounds": rounds,
            "seed": seed,
        },
    )
    systems = setup.recommenders
    asked.check(systems)
    from ..parts.ievalm import run

    conduct(
        STUDY, setup, asked.components(systems, judges), lambda asking: run(asking, asked, systems, judges)
    )


@dataclass(frozen=True)
class Asked:
    """The options of a run."""

    users: Sequence[Source]
    user_model: str | None
    questions: int
    rounds: int
    seed: int
    humans: Sequence[Json]

    def check(self, systems: Sequence[str]) -> None:
        """Raise CommandError for users that want nothing, and without a recommender."""
        from ..parts.sessions import check_wanted

        check_wanted(self.users, systems)

    def components(self, systems: Sequence[str], judges: Sequence[str]) -> list[Component]:
        """The models' calls: messages of users, their looks back, judges' verdicts."""
        from ..estimate import TOKENS

        count = len(self.users) * len(systems)
        found = []
        if self.user_model:
            found.append(Component("users", self.user_model, count * self.rounds, *TOKENS["target"]))
        asked = dict.fromkeys([*filter(None, [self.user_model]), *judges])
        return found + [Component("persuasiveness", name, count, *TOKENS["factor"]) for name in asked]

    def simulator(self, _: Source, seed: int) -> dict[str, Any]:
        """The target user; by rule without a model."""
        rounds = {"seed": self.seed + seed, "max_rounds": self.rounds}
        if self.user_model is None:
            return {"type": "scripted", **rounds}
        return {"type": "target", "judge": self.user_model, "min_rounds": 1, **rounds}


STUDY = Study(
    name="ievalm",
    place=50,
    says="iEvaLM: attribute questions and free chat with users who have an item in mind; recall, persuasiveness.",
    papers=("ievalm",),
    command=ievalm,
)
