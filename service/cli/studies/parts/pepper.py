"""PEPPER from the reviews to the tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ...exits import CommandError, Exit
from ...inputs import Json, Source
from ...run import Job
from ..papers import published, source
from ..sheets import Sheet
from ..steps import Asking
from ..study import Findings
from . import agreeing, auditing, eliciting, judgements, sessions
from .judgements import Judged
from .measuring import catalogue_of
from .reviewers import Reviewer, profiles, rated_pairs, representations
from .sessions import Session, file_name

if TYPE_CHECKING:
    from ..kinds.pepper import Asked

FACTORS = ("pepper-proactiveness", "pepper-coherence", "pepper-personalization")
FREE, BIASED = "target-free", "target-biased"


@dataclass(frozen=True)
class Player:
    """A way of playing the users: its name, their logs before a word is said, the simulator's settings."""

    name: str
    log: Callable[[Reviewer], Json]
    settings: Mapping[str, Any]


async def run(asking: Asking, asked: "Asked", systems: Sequence[str], judges: Sequence[str]) -> Findings:
    """All steps, and what they come to."""
    findings = Findings()
    reviewers = await profiles(asking, asked.reviewers, asked.user_model)
    findings.failures += len(asked.reviewers) - len(reviewers)
    if not reviewers:
        raise CommandError("No user has a profile. The same command asks again.", Exit.FAILED)
    asking.folder.write_lines("users.jsonl", [_log(one) for one in reviewers])
    free = await _play(asking, findings, _free(asked, asked.user_model, asked.screens[0]), reviewers, systems)
    findings.sheets.append(eliciting.users(reviewers))
    await eliciting.coverage(asking, findings, free)
    biased: list[Session] = []
    if asked.biased:
        player = _biased(asked)
        biased = await _play(asking, findings, player, reviewers, systems)
        await eliciting.bias(asking, findings, {BIASED: biased, FREE: free})
    else:
        findings.leave_out("target-biased users (table 3, figures 2, 3 and 5)", "--no-biased")
    every = [await judgements.judge(asking, name, free, ["pepper"], {}) for name in judges]
    findings.failures += sum(one.failures for one in every)
    await eliciting.rubrics(asking, findings, every, FACTORS)
    await _people(asking, findings, asked, every, free)
    await _screens(asking, findings, asked, reviewers, systems, free=free)
    await _players(asking, findings, asked, reviewers, systems, free=free)
    await _choices(asking, findings, asked, reviewers)
    if biased:
        await _compared(asking, findings, judges, free, biased)
    groups = {FREE: [one.log for one in free], BIASED: [one.log for one in biased]}
    await auditing.audit(asking, findings, groups, asked.humans)
    _tell(findings, asked, reviewers, systems, judges)
    return findings


def _log(reviewer: Reviewer) -> Json:
    """The user as its sessions end: with its taste, and the targets that no simulator of this taste has read."""
    return {
        "id": reviewer.id,
        "domain": reviewer.domain,
        "ground_truth": list(reviewer.targets),
        "user": {"preferences": reviewer.preferences, "seen": list(reviewer.seen)},
        "messages": [],
    }


def _free(asked: "Asked", model: str | None, on_screen: int) -> Player:
    """The user with a taste; by rule one that asks for the attributes of what it rated highly."""

    def log(reviewer: Reviewer) -> Json:
        whole = _log(reviewer)
        if model is None:
            whole["user"] = {"attributes": list(reviewer.wishes)}
        return {name: value for name, value in whole.items() if name != "ground_truth"}

    settings: dict[str, Any] = {"seed": asked.seed, "max_rounds": asked.rounds}
    if model is None:
        return Player(FREE, log, {"type": "scripted", **settings})
    return Player(FREE, log, {"type": FREE, "judge": model, "items_on_screen": on_screen, **settings})


def _biased(asked: "Asked") -> Player:
    """The user who knows what the selected targets are like."""

    def log(reviewer: Reviewer) -> Json:
        return {
            "id": reviewer.id,
            "domain": reviewer.domain,
            "ground_truth": list(reviewer.selected),
            "messages": [],
        }

    settings: dict[str, Any] = {"seed": asked.seed, "max_rounds": asked.rounds}
    if asked.user_model is None:
        return Player(BIASED, log, {"type": "scripted", **settings})
    return Player(BIASED, log, {"type": BIASED, "judge": asked.user_model, **settings})


async def _play(
    asking: Asking,
    findings: Findings,
    player: Player,
    reviewers: Sequence[Reviewer],
    systems: Sequence[str],
) -> list[Session]:
    """A session of each user with each system, with the user's taste and all its targets in the log."""
    plain = player.name == FREE
    users = [Source(f"user {one.id}", one.id, player.log(one), None, None) for one in reviewers]
    played, records = await sessions.play(
        asking,
        users,
        systems,
        1,
        lambda _, __: player.settings,
        variant="" if plain else player.name,
    )
    findings.failures += sum(record.answer is None for record in records)
    told = sessions.told(records)
    if not plain:
        told = replace(told, name=f"sessions-{file_name(player.name)}", title=f"Sessions, {player.name}")
    findings.sheets.append(told)
    by_name = {one.id: one for one in reviewers}
    whole = []
    for session in played:
        reviewer = by_name[session.user]
        known = _log(reviewer)
        log = {**session.log, "ground_truth": known["ground_truth"], "user": known["user"]}
        whole.append(replace(session, log=log))
    if plain:
        sessions.keep(asking, whole)
    return whole


async def _screens(
    asking: Asking,
    findings: Findings,
    asked: "Asked",
    reviewers: Sequence[Reviewer],
    systems: Sequence[str],
    *,
    free: Sequence[Session],
) -> None:
    """Coverage by how many items the user sees; 0 shows no list (table 9)."""
    if len(asked.screens) < 2 or asked.user_model is None:
        why = "no --user-model reads a screen" if asked.user_model is None else "--screens names one number"
        findings.leave_out("items on the screen (table 9)", why)
        return
    played = {asked.screens[0]: free}
    for count in asked.screens[1:]:
        player = replace(_free(asked, asked.user_model, count), name=f"screen {count}")
        played[count] = await _play(asking, findings, player, reviewers, systems)
    groups = {f"{count} items": found for count, found in sorted(played.items())}
    findings.sheets.append(
        await eliciting.beside(asking, groups, "screens", "Items on the screen (PEPPER, table 9)", (50,))
    )


async def _players(
    asking: Asking,
    findings: Findings,
    asked: "Asked",
    reviewers: Sequence[Reviewer],
    systems: Sequence[str],
    *,
    free: Sequence[Session],
) -> None:
    """Coverage with other models as users (table 8)."""
    if not asked.others:
        findings.leave_out("another model as user (table 8)", "no --other-user")
        return
    groups = {str(asked.user_model): list(free)}
    for model in asked.others:
        player = replace(_free(asked, model, asked.screens[0]), name=f"user {model}")
        groups[model] = await _play(asking, findings, player, reviewers, systems)
    findings.sheets.append(
        await eliciting.beside(
            asking, groups, "players", "Other models as users (PEPPER, table 8)", eliciting.CUTS
        )
    )


async def _people(
    asking: Asking, findings: Findings, asked: "Asked", every: Sequence[Judged], free: Sequence[Session]
) -> None:
    """Agreement of the rubrics with people (table 4)."""
    if not asked.labels:
        why = "no --labels: have people rate the logs in the run's folder, and give the same command their ratings"
        findings.leave_out("agreement of the rubrics with people (table 4)", why)
        return
    statistics = ("percent_agreement", "cohen_kappa", "randolph_kappa", "quadratic_weighted_kappa")
    rows = await agreeing.with_people(asking, every, agreeing.people(asked.labels, list(free)), statistics)
    found = {(row["rater"], row["factor"], row["statistic"]): row for row in rows}
    printed = published("pepper")["people"]
    table: list[list[Any]] = []
    for one in every:
        for factor in FACTORS:
            here = [found.get((one.judge, factor, name)) for name in statistics]
            counted = max((row["n"] for row in here if row), default=0)
            values = [row["value"] if row else None for row in here]
            table.append([one.judge, factor, counted, *values, *printed["rows"][factor]])
    columns = (
        "judge",
        "factor",
        "ratings",
        "agreement",
        "Cohen's kappa",
        "Randolph's kappa",
        "quadratic weighted",
        "published: agreement, %",
        "published: kappa",
    )
    findings.sheets.append(
        Sheet(
            "agreement-with-people",
            "Agreement with people (PEPPER, table 4)",
            columns,
            table,
            "",
            source("pepper", printed["place"]),
        )
    )


async def _choices(asking: Asking, findings: Findings, asked: "Asked", reviewers: Sequence[Reviewer]) -> None:
    """The share of choices in which the user's model prefers the held-out item that the user rated higher (table 2)."""
    pairs = {one.id: found for one in reviewers if (found := rated_pairs(one))}
    if asked.user_model is None or not pairs:
        why = "no --user-model" if asked.user_model is None else "no user has two held-out items rated apart"
        findings.leave_out("how well users reflect preferences (table 2)", why)
        return
    catalogue = catalogue_of(asking.catalog_file) if asking.catalog_file else None

    def item(title: str) -> Json:
        found = catalogue.match(title) if catalogue else None
        if found is None:
            return {"title": title}
        attributes = {name: list(values) for name, values in found.attributes.items()}
        about = {"description": found.description} if found.description else {}
        return {"title": found.title, "attributes": attributes, **about}

    jobs, forms = [], []
    for one in reviewers:
        for form, taste in representations(one).items() if one.id in pairs else ():
            choices = [
                {"preferences": taste, "better": item(better), "worse": item(worse)}
                for better, worse in pairs[one.id]
            ]
            body = {"choices": choices, "domain": one.domain, "judge": asked.user_model}
            jobs.append(Job(f"{one.id}/{form}", None, "/simulate/audit", body))
            forms.append(form)
    records = await asking.step("choices", jobs)
    findings.failures += sum(record.answer is None for record in records)
    right: dict[str, list[tuple[float, int]]] = {}
    for form, record in zip(forms, records, strict=True):
        for found in (record.answer or {}).get("findings", ()):
            if found["value"] is not None:
                right.setdefault(form, []).append((found["value"], found["n"]))
    printed = published("pepper")["choices"]
    rows = []
    for form, value in printed["rows"].items():
        known = right.get(form, [])
        count = sum(n for _, n in known)
        rows.append(
            [form, count, 100 * sum(share * n for share, n in known) / count if count else None, value]
        )
    note = "Each pair of held-out items is put in both orders."
    title = "The higher-rated item preferred, per cent (PEPPER, table 2)"
    columns = ("the taste as", "choices", "preferred", "published")
    findings.sheets.append(Sheet("choices", title, columns, rows, note, source("pepper", printed["place"])))


async def _compared(
    asking: Asking,
    findings: Findings,
    judges: Sequence[str],
    free: Sequence[Session],
    biased: Sequence[Session],
) -> None:
    """A judge's preference between the sessions of users with a taste and with targets (a stand-in for figure 5)."""
    others = {one.situation + one.system: one for one in biased if one.answered}
    pairs = [
        (one, others[one.situation + one.system])
        for one in free
        if one.answered and one.situation + one.system in others
    ]
    rows: list[list[Any]] = []
    for name in judges:
        jobs = [
            Job(
                one.id,
                one.system,
                "/compare",
                {
                    "first": one.log,
                    "second": other.log,
                    "factors": ["coherence", "naturalness"],
                    "judge": name,
                },
            )
            for one, other in pairs
        ]
        records = await asking.step(f"comparisons-{file_name(name)}", jobs)
        findings.failures += sum(record.answer is None for record in records)
        for factor in ("coherence", "naturalness"):
            chosen = [
                found["preferred"]
                for record in records
                for found in (record.answer or {}).get("preferences", ())
                if found["factor"] == factor and found["preferred"] is not None
            ]
            shares = [
                fmean(one == side for one in chosen) if chosen else None
                for side in ("first", "tie", "second")
            ]
            rows.append([name, factor, len(chosen), *shares])
    note = "A stand-in: in the paper people compared 100 pairs, and their choices are a plot. Here /compare does, on the recommender's side of the same talk."
    title = "Sessions compared: target-free or target-biased users (in place of PEPPER's figure 5)"
    columns = ("judge", "factor", "pairs", FREE, "tie", BIASED)
    findings.sheets.append(Sheet("comparisons", title, columns, rows, note))


def _tell(
    findings: Findings,
    asked: "Asked",
    reviewers: Sequence[Reviewer],
    systems: Sequence[str],
    judges: Sequence[str],
) -> None:
    player = (
        f"target-free users played by {asked.user_model}, with profiles made from their reviews and {asked.screens[0]} items "
        "on the screen,"
        if asked.user_model
        else "rule-based users (a stand-in for target-free users that a model plays) who ask for what their highly rated items "
        "have in common"
    )
    findings.methods += [
        f"{sessions.recommenders(systems)} talked with {len(reviewers)} {player} for at most "
        f"{asked.rounds} rounds, seed {asked.seed}. Targets are held-out items that the user rated at its mean or above; "
        "a random half of them is the selected set.",
        f"Proactiveness, coherence and personalization were judged on 1-5 by {', '.join(judges)}; preference coverage was "
        "computed over the recommended lists, sessions that ended carried forward.",
        "Intervals are 95 % percentile bootstraps over users; differences of systems were tested by permutation over users "
        "and corrected by Holm's method.",
    ]
