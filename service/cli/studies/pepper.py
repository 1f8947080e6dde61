"""PEPPER from the reviews (those held out, a profile of the others) to the tables."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, ClassVar

from ...importing.entries import Entry
from ..exits import CommandError, Exit
from ..inputs import Json, Source
from ..run import Job
from ..tabulating.formats import StudyTable
from . import instruments, judgements, sessions
from .elicitation import CUTS, FACTORS, beside, bias, coverage, rubrics
from .judgements import JudgeRun
from .report import Findings, published, source
from .reviewers import Reviewer, held_out, profiles, rated_pairs, representations
from .sessions import StudySession, catalogue_of
from .steps import StudyRun
from .study import Component, SessionPlan, file_name, intervals_over, members

FREE, BIASED = "target-free", "target-biased"
RULES = {"type": "scripted"}
COMPARED = ("coherence", "naturalness")


@dataclass(frozen=True, kw_only=True)
class PepperPlan(SessionPlan):
    """Users with a taste from reviews. The first of `screens` is the main one; `entries` are the lines of the reviews' files."""

    name: ClassVar = "pepper"
    papers: ClassVar = ("pepper",)
    entries: Sequence[Entry]
    other_users: Sequence[str]
    rounds: int
    screens: Sequence[int]
    biased: bool
    seed: int
    labels: Sequence[Json]

    @cached_property
    def reviewers(self) -> Sequence[Reviewer]:
        """Return the users, some of whose reviews are held out. Raises CommandError for a line without reviews."""
        return [held_out(one, self.seed) for one in self.entries]

    @property
    def asked(self) -> list[str]:
        return [*super().asked, *self.other_users]

    def check(self) -> None:
        super().check()
        names = [one.id for one in self.reviewers]
        for name in names:
            if names.count(name) > 1:
                raise CommandError(f"--reviews: two users have the id {name!r}. Give each a different `id`.")

    def components(self) -> list[Component]:
        count = len(self.logs) or len(self.reviewers) * self.seeds * len(self.systems)
        seen = sum(len(one.seen) for one in self.reviewers)
        model, compared = self.user_model, members(self.judges) if self.biased and not self.logs else ()
        looks = [2 if shown else 1 for shown in self.screens]
        return [
            Component("profiles", model, seen + len(self.reviewers), "review"),
            Component("users", model, count * self.rounds * sum(looks), "persona"),
            *(
                Component("users", name, count * self.rounds * looks[0], "persona")
                for name in self.other_users
            ),
            Component("biased users", model, count * self.rounds * self.biased, "target"),
            Component("choices", model, 6 * len(self.reviewers), "review"),
            *(Component("rubrics", name, count * 3, "factor") for name in self.judges),
            *(Component("comparisons", name, count * 8, "statement") for name in compared),
        ]

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        if self.logs:
            free = sessions.had(study, self.logs)
            every = await self._judge(study, free)
            await instruments.check(study, self, every, FACTORS, {})
            why = "--logs has no users to play"
            findings.leave_out("target-biased users, other users and screens (tables 2, 3, 8 and 9)", why)
            findings.methods += _methods(self, free, 0)
            return
        reviewers = await profiles(study, self.reviewers, self.user_model)
        if not reviewers:
            raise CommandError("No user has a profile. Run the same command to try again.", Exit.FAILED)
        study.folder.write_lines("users.jsonl", [one.log(**one.known) for one in reviewers])
        players = Players(study, self, reviewers)
        free = await players.free(self.user_model, self.screens[0])
        biased: list[StudySession] = []
        if self.biased:
            biased = await players.biased()
            await bias(study, {BIASED: biased, FREE: free})
        else:
            findings.leave_out("target-biased users (table 3, figures 2, 3 and 5)", "--no-biased")
        every = await self._judge(study, free)
        await players.others(free)
        await _choices(players)
        compared = await _compared(players, free, biased) if biased else {}
        await instruments.check(study, self, every, FACTORS, {FREE: free, BIASED: biased}, compared=compared)
        findings.methods += _methods(self, free, len(reviewers))

    async def _judge(self, study: StudyRun, free: Sequence[StudySession]) -> Sequence[JudgeRun]:
        """Measure and judge the sessions of target-free users, or those of logs; the verdicts."""
        await coverage(study, free)
        every = [await judgements.judge(study, name, free, ["pepper"], self.scoring) for name in self.judges]
        await rubrics(study, every)
        _people(study.findings, self, every, free)
        return every


@dataclass(frozen=True)
class Players:
    """Ways of playing the users of a run."""

    study: StudyRun
    plan: PepperPlan
    reviewers: Sequence[Reviewer]

    async def free(self, model: str | None, on_screen: int, name: str = "") -> list[StudySession]:
        """Sessions of users with a taste; rules ask for attributes of well-rated items. `name` tells them from the main ones."""
        logs = [
            one.log(user=one.user if model else {"attributes": list(one.wishes)}) for one in self.reviewers
        ]
        settings: Json = {"type": FREE, "judge": model, "items_on_screen": on_screen} if model else RULES
        return await self._play(logs, settings, name)

    async def biased(self) -> list[StudySession]:
        """Sessions of users who know what the selected targets are like."""
        logs = [one.log(ground_truth=list(one.selected)) for one in self.reviewers]
        model = self.plan.user_model
        return await self._play(logs, {"type": BIASED, "judge": model} if model else RULES, BIASED)

    async def _play(self, logs: Sequence[Json], settings: Json, name: str) -> list[StudySession]:
        """A session of each user with each system, with the user's taste and all its targets in the log."""
        plan = self.plan
        return await sessions.play(
            self.study,
            plan,
            [Source(f"user {log['id']}", log["id"], log, None, None) for log in logs],
            lambda seed: {**settings, "seed": plan.seed + seed, "max_rounds": plan.rounds},
            variant=name,
            known={one.id: one.known for one in self.reviewers},
        )

    async def others(self, free: Sequence[StudySession]) -> None:
        """Coverage by how many items the user sees, where 0 shows no list (table 9), and with other models as users (table 8)."""
        findings, model, (first, *screens) = self.study.findings, self.plan.user_model, self.plan.screens
        if model is None or not screens:
            why = "no --user-model reads a screen" if model is None else "--screens names one number"
            findings.leave_out("items on the screen (table 9)", why)
        else:
            seen = {first: free} | {n: await self.free(model, n, f"screen {n}") for n in screens}
            groups = {f"{count} items": found for count, found in sorted(seen.items())}
            await beside(self.study, groups, "screens", "Items on the screen (PEPPER, table 9)", (50,))
        if not self.plan.other_users:
            findings.leave_out("another model as user (table 8)", "no --other-user")
        else:
            played = {str(model): free}
            for other in self.plan.other_users:
                played[other] = await self.free(other, first, f"user {other}")
            await beside(self.study, played, "players", "Other models as users (PEPPER, table 8)", CUTS)


def _people(
    findings: Findings, plan: PepperPlan, every: Sequence[JudgeRun], free: Sequence[StudySession]
) -> None:
    if not plan.labels:
        findings.leave_out("agreement of the rubrics with people (table 4)", judgements.NO_LABELS)
        return
    names = {
        "percent_agreement": "agreement",
        "cohen_kappa": "Cohen's kappa",
        "randolph_kappa": "Randolph's kappa",
        "quadratic_weighted_kappa": "quadratic weighted",
    }
    rows = judgements.with_people(every, judgements.people(plan.labels, free), [*names])
    printed = published("pepper")["people"]["rows"]
    table = [
        [one.judge, factor, *judgements.figures(rows, one.judge, factor, [*names]), *printed[factor]]
        for one in every
        for factor in FACTORS
    ]
    bounded = [column for name in names.values() for column in judgements.with_bounds(name)]
    columns = ("judge", "factor", "ratings", *bounded, "published: agreement, %", "published: kappa")
    title, place = "Agreement with people (PEPPER, table 4)", source("pepper", "people")
    findings.add(StudyTable("agreement-with-people", title, columns, table, judgements.INTERVALS, place))


async def _choices(players: Players) -> None:
    """The share of choices in which the user's model prefers the held-out item that the user rated higher (table 2)."""
    study, findings, model = players.study, players.study.findings, players.plan.user_model
    pairs = {one.id: found for one in players.reviewers if (found := rated_pairs(one))}
    if model is None or not pairs:
        why = "no --user-model" if model is None else "no user has two held-out items rated apart"
        findings.leave_out("how well users reflect preferences (table 2)", why)
        return
    catalogue = catalogue_of(study.options.catalog_file)

    def item(title: str) -> Json:
        found = catalogue.match(title) if catalogue else None
        if found is None:
            return {"title": title}
        attributes = {name: list(values) for name, values in found.attributes.items()}
        about = {"description": found.description} if found.description else {}
        return {"title": found.title, "attributes": attributes, **about}

    jobs = []
    for one in players.reviewers:
        for form, taste in representations(one).items() if one.id in pairs else ():
            choices = [
                {"preferences": taste, "better": item(better), "worse": item(worse)}
                for better, worse in pairs[one.id]
            ]
            body = {"choices": choices, "domain": one.domain, "judge": model}
            jobs.append(Job(f"{one.id}/{form}", None, "/simulate/audit", body))
    right: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for record in await study.step("choices", jobs):
        for found in (record.answer or {}).get("findings", ()):
            if found["value"] is not None:
                right[record.conversation.rpartition("/")[2]].append((found["value"], found["n"]))
    rows = []
    for form, value in published("pepper")["choices"]["rows"].items():
        count = sum(n for _, n in right[form])
        share = 100 * sum(share * n for share, n in right[form]) / count if count else None
        rows.append([form, count, share, value])
    note = "Each pair of held-out items is put in both orders."
    title = "The higher-rated item preferred, per cent (PEPPER, table 2)"
    columns = ("the taste as", "choices", "preferred", "published")
    findings.add(StudyTable("choices", title, columns, rows, note, source("pepper", "choices")))


async def _compared(
    players: Players, free: Sequence[StudySession], biased: Sequence[StudySession]
) -> instruments.Comparisons:
    """Tabulate and return each judge's preferences between target-free and biased sessions (a stand-in for figure 5)."""
    others = {(one.situation, one.system): one for one in biased}
    rows: list[list[Any]] = []
    found: dict[str, list[tuple[str, Json]]] = {}
    for name in members(players.plan.judges):
        jobs = []
        for one in free:
            if (other := others.get((one.situation, one.system))) is not None:
                body = {"first": one.log, "second": other.log, "factors": list(COMPARED), "judge": name}
                jobs.append(Job(one.id, one.system, "/compare", body, user=one.user))
        found[name] = [
            (str(record.user), preference)
            for record in await players.study.step(f"comparisons-{file_name(name)}", jobs)
            for preference in (record.answer or {}).get("preferences", ())
            if preference["preferred"] is not None
        ]
        for factor in COMPARED:
            chosen = [one["preferred"] for _, one in found[name] if one["factor"] == factor]
            sides = ("first", "tie", "second")
            shares = [fmean(one == side for one in chosen) if chosen else None for side in sides]
            rows.append([name, factor, len(chosen), *shares])
    note = "A stand-in: in the paper people compared 100 pairs, and their choices are a plot. Here /compare does, on the recommender's side of the same talk."
    title = "Sessions compared: target-free or target-biased users (in place of PEPPER's figure 5)"
    columns = ("judge", "factor", "pairs", FREE, "tie", BIASED)
    players.study.findings.add(StudyTable("comparisons", title, columns, rows, note))
    return found


def _methods(plan: PepperPlan, played: Sequence[StudySession], users: int) -> list[str]:
    player = (
        f"target-free users played by {plan.user_model}, with profiles made from their reviews and {plan.screens[0]} items "
        "on the screen,"
        if plan.user_model
        else "rule-based users (a stand-in for target-free users that a model plays) who ask for what their highly rated items "
        "have in common"
    )
    targets = "Targets are held-out items that the user rated at its mean or above; a random half of them is the selected set."
    return [
        sessions.described(
            plan, played, users, player, f"for at most {plan.rounds} rounds, from seed {plan.seed} on"
        ),
        *([] if plan.logs else [targets]),
        f"Proactiveness, coherence and personalization were judged on 1-5 by {', '.join(plan.judges)}; preference coverage was "
        "computed over the recommended lists, sessions that ended carried forward.",
        intervals_over("users"),
    ]
