"""`crs-eval study concept`: six abilities over users of many moods and ages (CONCEPT)."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ....domain.rubric import Variant
from ... import options
from ...corpus_commands import TitleMatching
from ..options import Budget, Crs, Fresh, Humans, Judges, Out, UserModel, Yes
from ..study import Study

SEED = 42
GROUPS, SIZES = 19, "3"


@dataclass(frozen=True)
class Grid:
    """The attribute groups of the users: the `count` most frequent sets of so many values of a dimension."""

    count: int
    sizes: tuple[int, ...]
    dimension: str
    seed: int


def concept(
    *,
    out: Out,
    crs: Crs = None,
    logs: Annotated[
        list[str] | None,
        typer.Option(help="Existing conversations, in place of recommenders. May be repeated."),
    ] = None,
    catalog: options.Catalog = None,
    users: Annotated[
        list[str] | None,
        typer.Option(help="Users of your own, in place of the grid: logs with `user` and empty `messages`."),
    ] = None,
    groups: Annotated[
        int, typer.Option(help="Attribute groups of the grid: 19 on ReDial.", min=1, max=200)
    ] = GROUPS,
    group_sizes: Annotated[
        str, typer.Option(help="Number of values in a group: 3 on ReDial, 3,4 on OpenDialKG.")
    ] = SIZES,
    dimension: Annotated[
        str, typer.Option(help="The dimension of the catalogue that groups are made of.")
    ] = "genre",
    personas: Annotated[
        list[str] | None,
        typer.Option(
            help="Personas of the grid in place of the twelve: {persona, description}, a line each; one of the twelve "
            "needs no description."
        ),
    ] = None,
    variant: options.VariantOption = Variant.PUBLISHED,
    seed: Annotated[int, typer.Option(help="The simulator's seed.", min=0)] = SEED,
    paraphrases: Annotated[
        int,
        typer.Option(
            help="Wordings of a user message in each session, for reliability; 0 for none.", min=0, max=20
        ),
    ] = 1,
    matching: Annotated[
        TitleMatching,
        typer.Option(help="Rule that finds titles in texts; `published` repeats the paper's rules."),
    ] = TitleMatching.STRICT,
    humans: Humans = None,
    judge: Judges = None,
    user_model: UserModel = None,
    budget: Budget = None,
    yes: Yes = False,
    fresh: Fresh = False,
    at_once: options.AtOnce = options.AT_ONCE,
    url: options.Url = None,
    api_key: options.Key = None,
) -> None:
    """CONCEPT: six abilities over users of twelve moods and four ages."""
    from ...exits import CommandError
    from ...inputs import json_digest, objects, read_logs
    from ..conduct import Setup, conduct
    from ..estimate import BUILTIN
    from ..options import numbers
    from ..parts.concept import Asked, run
    from ..parts.concept_users import grid_of

    if bool(logs) == bool(crs):
        raise CommandError("Name recommenders by --crs, or conversations by --logs: one of the two.")
    if logs:
        sources, _ = read_logs(logs)
    elif users:
        sources, _ = read_logs(users)
    else:
        sizes = tuple(numbers("--group-sizes", group_sizes, 1, 19))
        own = objects(personas) if personas else []
        sources = grid_of(catalog, Grid(groups, sizes, dimension, seed), own)
    judges = list(dict.fromkeys(judge or [BUILTIN]))
    people = [source.log for source in read_logs(humans)[0]] if humans else []
    asked = Asked(
        sources,
        bool(logs),
        user_model,
        seed,
        paraphrases if crs else 0,
        matching.value,
        people,
        variant.value if variant else None,
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
            "seed": seed,
            "paraphrases": asked.paraphrases,
            "matching": matching.value,
            "variant": asked.variant,
            "logs": bool(logs),
        },
    )
    systems = setup.recommenders
    asked.check()
    conduct(
        STUDY, setup, asked.components(systems, judges), lambda asking: run(asking, asked, systems, judges)
    )


STUDY = Study(
    name="concept",
    place=20,
    says="CONCEPT: users of twelve moods and four ages, six abilities; tables by system, mood, age and attributes.",
    papers=("concept",),
    command=concept,
)
