"""`crs-eval study`: a subcommand for each study, and those for a run as one file.

What a study needs beyond its options is imported in its command: help must be quick."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from ...domain.modes import Variant
from ...importing.entries import Entry
from .. import options
from ..corpus_commands import TitleMatching
from ..exits import CommandError
from ..inputs import Json, Source, objects, placed_objects, read_logs
from ..judge_commands import console
from .study import (
    BUILTIN,
    Labels,
    RepeatOptions,
    Seed,
    SessionOptions,
    StudyOptions,
    StudyPlan,
    Users,
    check_names,
    numbers,
)

SEED = 42

app = typer.Typer(
    help="Run whole studies: from recommenders to a paper's tables, next to the published figures.",
    no_args_is_help=True,
)


def _study(plan_of: Callable[..., StudyPlan]) -> None:
    """Add a command that makes a plan from its options, and conducts it."""

    @wraps(plan_of)
    def command(*, run: StudyOptions, **given: Any) -> None:
        from .conduct import carry_out

        if run.mixture and plan_of.__name__ != "core":
            raise CommandError(
                "--mixture: the preset has only CoRE's factors. Use it with crs-eval study core."
            )
        raise typer.Exit(carry_out(plan_of(run=run, **given), run))

    app.command(plan_of.__name__.replace("_", "-"))(options.spread(command))


@_study
def core(
    *,
    run: StudyOptions,
    talk: SessionOptions,
    users: Users = None,
    rounds: Annotated[int, typer.Option(help="Maximum rounds of a debate.", min=1, max=10)] = 4,
    stop: Annotated[bool, typer.Option(help="Stop a debate when all roles agree.")] = True,
    debate: Annotated[bool, typer.Option(help="Let roles debate the verdicts.")] = True,
    variant: options.VariantOption = Variant.PUBLISHED,
    labels: Labels = None,
) -> StudyPlan:
    """CoRE: target users, twelve factors and a debate. Tables by system, judge, role and round; agreement with people."""
    from .core import CorePlan

    return CorePlan(
        **_sessions(run, talk),
        users=_users(users, talk),
        rounds=rounds if debate else 0,
        stop=stop,
        variant=variant,
        labels=_objects(labels),
    )


@_study
def concept(
    *,
    run: StudyOptions,
    talk: SessionOptions,
    users: Users = None,
    groups: Annotated[
        int, typer.Option(help="Number of attribute groups in the grid: 19 for ReDial.", min=1, max=200)
    ] = 19,
    group_sizes: Annotated[
        str, typer.Option(help="Number of values in a group: 3 for ReDial, 3,4 for OpenDialKG.")
    ] = "3",
    dimension: Annotated[
        str, typer.Option(help="Attribute of the catalogue from which groups are made.")
    ] = "genre",
    personas: Annotated[
        list[str] | None,
        typer.Option(
            help="Personas to use instead of the twelve: {persona, description}, one per line; one of the twelve "
            "needs no description."
        ),
    ] = None,
    variant: options.VariantOption = Variant.PUBLISHED,
    seed: Seed = SEED,
    paraphrases: Annotated[
        int,
        typer.Option(
            help="Number of paraphrases of a user message in each session, for reliability.", min=0, max=20
        ),
    ] = 1,
    matching: Annotated[
        TitleMatching,
        typer.Option(help="Rule for finding titles in texts; published applies the paper's rules."),
    ] = "strict",
) -> StudyPlan:
    """CONCEPT: users with twelve moods and four ages, six abilities. Tables by system, mood, age and attributes."""
    from .concept import ConceptPlan
    from .user_groups import grid_of

    given = _sessions(run, talk)
    sizes = numbers("--group-sizes", group_sizes, 1, 19)
    grid = None if users or talk.logs else grid_of(run.catalog, groups, sizes, dimension, _objects(personas))
    return ConceptPlan(
        **given,
        users=_users(users, talk) if grid is None else grid,
        seed=seed,
        paraphrases=0 if talk.logs else paraphrases,
        matching=matching,
        variant=variant.value if variant else None,
    )


@_study
def pepper(
    *,
    run: StudyOptions,
    talk: SessionOptions,
    reviews: Annotated[
        list[str] | None,
        typer.Option(help="Users: {id, domain?, reviews: [{item, rating, text, held_out?}]}, one per line."),
    ] = None,
    other_user: Annotated[
        list[str] | None,
        typer.Option(help="Another model to play the users (table 8). May be repeated.", metavar="NAME"),
    ] = None,
    rounds: Annotated[int, typer.Option(help="Maximum rounds of a session.", min=1, max=50)] = 20,
    screens: Annotated[
        str,
        typer.Option(
            help="Number of listed items that users see; add further numbers for table 9: 4,0,7,10."
        ),
    ] = "4",
    biased: Annotated[
        bool, typer.Option(help="Also play target-biased users (table 3, figures 2 and 3).")
    ] = True,
    seed: Seed = SEED,
    labels: Labels = None,
) -> StudyPlan:
    """PEPPER: users with a taste from reviews and no target. Preference coverage, three rubrics, the bias of targets."""
    from .pepper import PepperPlan

    found = placed_objects(_needed("--reviews", reviews, talk))
    if other_user and talk.user_model is None:
        raise CommandError("--other-user: name the first model with --user-model.")
    return PepperPlan(
        **_sessions(run, talk),
        entries=[Entry(place, value) for place, value in found],
        other_users=list(dict.fromkeys(other_user or [])),
        rounds=rounds,
        screens=numbers("--screens", screens, 0, 50),
        biased=biased,
        seed=seed,
        labels=_objects(labels),
    )


@_study
def alignment(
    *,
    run: StudyOptions,
    replies: RepeatOptions,
    humans: Annotated[
        list[str],
        typer.Option(help="Conversations with human recommenders, with labels in `metadata.strategy`."),
    ],
    strategies: Annotated[
        list[str] | None,
        typer.Option(
            help="Labels of the systems' replies: {reply, strategy}, with the ids in pairs/; and of people's: {conversation, message, "
            "strategy}, as crs-eval import writes them."
        ),
    ] = None,
    preferences: Annotated[
        list[str] | None,
        typer.Option(help="People's preferences: {context, first, second, preferred, rater?}."),
    ] = None,
    judging: Annotated[str | None, typer.Option(hidden=True)] = None,
    temperature: Annotated[float | None, typer.Option(hidden=True)] = None,
) -> StudyPlan:
    """Behavior Alignment: replies in human conversations, strategies compared by three methods; agreement with preferences."""
    from .alignment import BehaviorAlignmentPlan
    from .sessions import system_of

    if judging is not None:
        raise CommandError("--judging does not apply to alignment: strategies are labels without levels.")
    if temperature is not None:
        raise CommandError("--temperature does not apply to alignment: nobody is simulated.")
    if replies.logs and replies.seeds > 1:
        raise CommandError("--seeds does not apply to --logs: their recommenders have already replied.")
    _check_one_of(run, replies)
    logs = _logs(replies.logs)
    systems = run.systems or list(dict.fromkeys(map(system_of, logs)))
    check_names("system", systems)
    return BehaviorAlignmentPlan(
        systems=systems,
        judges=run.judges,
        logs=logs,
        seeds=replies.seeds,
        samples=replies.samples,
        sources=read_logs(humans)[0],
        models=[name for name in run.judges if name != BUILTIN],
        strategies=_objects(strategies),
        preferences=_objects(preferences),
    )


@_study
def ievalm(
    *,
    run: StudyOptions,
    talk: SessionOptions,
    users: Users = None,
    questions: Annotated[
        int,
        typer.Option(
            help="Maximum number of questions about attributes; 0 for free chat only.", min=0, max=10
        ),
    ] = 3,
    seed: Seed = SEED,
) -> StudyPlan:
    """iEvaLM: attribute questions and free chat with users who have an item in mind; recall, persuasiveness."""
    from .ievalm import IEvaLMPlan

    return IEvaLMPlan(**_sessions(run, talk), users=_users(users, talk), questions=questions, seed=seed)


@_study
def music_crs(
    *,
    run: StudyOptions,
    sessions: Annotated[
        list[str], typer.Option(help="TalkPlayData's sessions, with the tracks that were played.")
    ],
    predictions: Annotated[
        list[str],
        typer.Option(help="A system's predictions for the challenge. May be repeated.", metavar="NAME=FILE"),
    ],
) -> StudyPlan:
    """Music-CRS (RecSys Challenge 2026): predicted lists of tracks. nDCG, diversity, and the challenge's baselines."""
    from .music_crs import MusicCRSPlan

    if run.crs or run.judge or run.panel:
        raise CommandError(
            "--crs and --judge do not apply: predictions are compared with the tracks that were played."
        )
    named = [(name, path) for name, _, path in (one.partition("=") for one in predictions)]
    if not all(path for _, path in named):
        raise CommandError("--predictions: name the system of each file, such as mine=predictions.json.")
    return MusicCRSPlan(
        systems=[name for name, _ in named],
        judges=[],
        sessions=_objects(sessions),
        predictions={name: _objects([path]) for name, path in named},
    )


def _objects(paths: list[str] | None) -> list[Json]:
    return objects(paths) if paths else []


def _logs(paths: list[str] | None) -> list[Source]:
    return read_logs(paths)[0] if paths else []


def _needed(option: str, paths: list[str] | None, talk: SessionOptions) -> list[str]:
    """Return the files of users, none beside conversations. Raises CommandError where neither is named."""
    if talk.logs:
        return []
    if not paths:
        raise CommandError(f"Pass users with {option}, or conversations with --logs.")
    return paths


def _users(paths: list[str] | None, talk: SessionOptions) -> list[Source]:
    return _logs(_needed("--users", paths, talk))


def _check_one_of(run: StudyOptions, given: RepeatOptions) -> None:
    """Raise CommandError without recommenders or conversations, or with both."""
    if bool(given.logs) == bool(run.systems):
        raise CommandError("Pass either recommenders with --crs or conversations with --logs.")


def _sessions(run: StudyOptions, talk: SessionOptions) -> dict[str, Any]:
    """Return the fields that all plans of sessions share. Raises CommandError as `_check_one_of` does."""
    _check_one_of(run, talk)
    return {
        **vars(talk),
        "systems": run.systems,
        "judges": run.judges,
        "logs": _logs(talk.logs),
        "humans": [source.log for source in _logs(talk.humans)],
        "worse": talk.worse or [],
    }


@app.command("bundle")
def bundle(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="File for the bundle (.zip).")],
) -> None:
    """Pack a finished run into one file from which others can rebuild its tables. It contains the conversations."""
    from .bundle import pack

    count = pack(run, out)
    console().print(f"{count} files of the run are in {out}.", highlight=False)


@app.command("verify")
def verify(bundle: Annotated[Path, typer.Argument(help="File of a bundle.")]) -> None:
    """Check a bundle, and rebuild its tables, figures and texts from its answers, without models or recommenders."""
    from .bundle import verify as remake

    count = remake(bundle)
    console().print(f"{count} files are identical, byte for byte.", highlight=False)
