"""`crs-eval study pepper`: users with a taste and no target, and how much of it is elicited (PEPPER)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from ....importing.entries import Entry, Fault
from ... import options
from ...inputs import Json
from ..options import Budget, Crs, Fresh, Humans, Judges, Out, UserModel, Yes
from ..study import Component, Study

ROUNDS, ON_SCREEN, SEED = 20, 4, 42


def pepper(
    *,
    out: Out,
    reviews: Annotated[
        list[str],
        typer.Option(help="Users: {id, domain?, reviews: [{item, rating, text, held_out?}]}, one a line."),
    ],
    crs: Crs = None,
    judge: Judges = None,
    user_model: UserModel = None,
    other_user: Annotated[
        list[str] | None,
        typer.Option(help="Another model to play the users with (table 8). May be repeated.", metavar="NAME"),
    ] = None,
    rounds: Annotated[int, typer.Option(help="Rounds of a session.", min=1, max=50)] = ROUNDS,
    screens: Annotated[
        str,
        typer.Option(help="Number of items of a list that users see; further numbers for table 9: 4,0,7,10."),
    ] = str(ON_SCREEN),
    biased: Annotated[
        bool, typer.Option(help="Also play target-biased users (table 3, figures 2 and 3).")
    ] = True,
    seed: Annotated[int, typer.Option(help="Seed of the simulator and of the held-out items.", min=0)] = SEED,
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
    """PEPPER: users whose taste comes from reviews, preference coverage, three rubrics, the bias of targets."""
    from ...exits import CommandError
    from ...inputs import entries, json_digest, read_logs, told_faults
    from ..conduct import Setup, conduct
    from ..estimate import BUILTIN
    from ..options import numbers
    from ..parts.pepper import run
    from ..parts.reviewers import held_out

    faults: list[Fault] = []
    found: list[Entry] = list(entries(reviews, faults))
    if faults:
        raise CommandError(told_faults(faults))
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    if other_user and user_model is None:
        raise CommandError("--other-user: name the first model by --user-model.")
    asked = Asked(
        [held_out(one, seed) for one in found],
        user_model,
        list(dict.fromkeys(other_user or [])),
        rounds,
        numbers("--screens", screens, 0, 50),
        biased,
        seed,
        [] if labels is None else _objects(labels),
        [] if humans is None else [source.log for source in read_logs(humans)[0]],
    )
    setup = Setup(
        out=out,
        crs=crs or [],
        judges=[*judges, *asked.others],
        user_model=user_model,
        catalog=catalog,
        budget=budget,
        yes=yes,
        fresh=fresh,
        at_once=at_once,
        url=url,
        key=api_key,
        files={
            "reviews": json_digest([one.value for one in found]),
            "rounds": rounds,
            "screens": list(asked.screens),
            "biased": biased,
            "seed": seed,
        },
    )
    systems = setup.recommenders
    asked.check(systems)
    conduct(
        STUDY, setup, asked.components(systems, judges), lambda asking: run(asking, asked, systems, judges)
    )


def _objects(paths: Sequence[str]) -> list[Json]:
    from ...inputs import objects

    return objects(paths)


@dataclass(frozen=True)
class Asked:
    """The options of a run. `reviewers` have their held-out reviews; the first of `screens` is the main one."""

    reviewers: Sequence[Json]
    user_model: str | None
    others: Sequence[str]
    rounds: int
    screens: Sequence[int]
    biased: bool
    seed: int
    labels: Sequence[Json]
    humans: Sequence[Json]

    def check(self, systems: Sequence[str]) -> None:
        """Raise CommandError without a recommender, and for two users of one name."""
        from ...exits import CommandError

        if not systems:
            raise CommandError("Name a recommender: --crs mine=http://localhost:9000/reply")
        names = [one["id"] for one in self.reviewers]
        for name in names:
            if names.count(name) > 1:
                raise CommandError(f"--reviews: two users are called {name!r}; give each an `id` of its own.")

    def components(self, systems: Sequence[str], judges: Sequence[str]) -> list[Component]:
        """The models' calls: profiles, messages and reflections of users, choices, verdicts, comparisons."""
        from ..estimate import TOKENS

        count = len(self.reviewers) * len(systems)
        seen = sum(not review["held_out"] for one in self.reviewers for review in one["reviews"])
        found = []
        if (model := self.user_model) is not None:
            found.append(Component("profiles", model, seen + len(self.reviewers), *TOKENS["review"]))
            for name in (model, *self.others):
                looks = sum((2 if n else 1) for n in (self.screens if name == model else self.screens[:1]))
                found.append(Component("users", name, count * self.rounds * looks, *TOKENS["persona"]))
            if self.biased:
                found.append(Component("biased users", model, count * self.rounds, *TOKENS["target"]))
            found.append(Component("choices", model, 6 * len(self.reviewers), *TOKENS["review"]))
        for name in judges:
            found.append(Component("rubrics", name, count * 3, *TOKENS["factor"]))
            if self.biased:
                found.append(Component("comparisons", name, count * 2 * 4, *TOKENS["statement"]))
        return found


STUDY = Study(
    name="pepper",
    place=30,
    says="PEPPER: users with a taste from reviews and no target; preference coverage, three rubrics, the bias of targets.",
    papers=("pepper",),
    command=pepper,
)
