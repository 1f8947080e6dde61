"""PEPPER from the reviews (those held out, a profile of the others) to the tables."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from statistics import fmean
from typing import Any, ClassVar

from ...domain.conversation import UNKNOWN_DOMAIN
from ...importing.entries import Entry
from ...simulators.phrases import joined
from ..exits import CommandError, Exit
from ..inputs import Json, Source, present
from ..run import Job
from ..tabulating.formats import StudyTable, chart, lines, table_of
from ..tabulating.summary import Measured, summarise
from . import agreeing, instruments, judgements, sessions
from .judgements import JudgeRun
from .options import members
from .report import Findings, published, published_table, source
from .sessions import (
    StudySession,
    WantedFigure,
    catalogue_of,
    file_name,
    logs_by_system,
    measure,
    metrics,
    recalls,
)
from .steps import StudyRun
from .study import Component, SessionPlan, intervals_over

FREE, BIASED = "target-free", "target-biased"
RULES = {"type": "scripted"}
COMPARED = ("coherence", "naturalness")
MOST_WISHES = 3
HELD_OUT_SHARE = 0.5
"""Of the highly rated items, where the reviews do not say which are held out."""
FACTORS = ("pepper-proactiveness", "pepper-coherence", "pepper-personalization")
CUTS = (5, 10, 20, 50)
LONGEST = 50
HALVES = {"selected": "first_half", "residual": "second_half", "difference": "first_minus_second"}


@dataclass(frozen=True)
class Reviewer:
    """A user of the study. `targets` are the highly rated held-out items, in a random order: the first half of them is
    PEPPER's selected set, the rest its residual one."""

    id: str
    domain: str
    reviews: Sequence[Json]
    """Each with `held_out`."""
    targets: Sequence[str]
    preferences: str = ""
    wishes: Sequence[str] = ()
    """The wishes of a rule-based user."""
    tastes: Sequence[Json] = ()
    """Likes and dislikes by seen item, where a model read them."""

    @property
    def seen(self) -> list[Json]:
        """Return the items that the user knows, with their reviews."""
        known = (one for one in self.reviews if not one["held_out"])
        return [{"item": one["item"], "review": one["text"]} for one in known]

    @property
    def user(self) -> Json:
        """Return the taste as a log's `user`."""
        return {"preferences": self.preferences, "seen": self.seen}

    @property
    def known(self) -> Json:
        """Return what the log of a session says and its simulator has not read: the targets, and the taste."""
        return {"ground_truth": list(self.targets), "user": self.user}

    def log(self, **more: Any) -> Json:
        """Return a log without messages."""
        return {"id": self.id, "domain": self.domain, **more, "messages": []}

    @property
    def selected(self) -> Sequence[str]:
        """Return the targets that target-biased users describe."""
        return self.targets[: (len(self.targets) + 1) // 2]


def held_out(entry: Entry, seed: int) -> Reviewer:
    """The user of a line of the reviews' file, some of whose items are held out. Raises CommandError for a line without reviews."""
    value = entry.value
    reviews = value.get("reviews")
    if not isinstance(reviews, list) or len(reviews) < 2 or not all(map(_is_review, reviews)):
        raise CommandError(
            f"{entry.place}: a user of this study is {{id, reviews: [{{item, rating, text}}, ...]}} with at least two reviews."
        )
    name = str(value.get("id") or entry.place)
    if any(review.get("held_out") is not None for review in reviews):
        kept = [{**review, "held_out": review.get("held_out") is True} for review in reviews]
    else:
        high = [n for n, review in enumerate(reviews) if review["rating"] >= _mean(reviews)]
        random.Random(f"{seed}/{name}").shuffle(high)  # noqa: S311 - a sample, not a secret
        count = min(max(1, round(len(high) * HELD_OUT_SHARE)), len(reviews) - 1)
        kept = [{**review, "held_out": n in high[:count]} for n, review in enumerate(reviews)]
    targets = [one["item"] for one in kept if one["held_out"] and one["rating"] >= _mean(reviews)]
    if not targets or all(one["held_out"] for one in kept):
        raise CommandError(
            f"{entry.place}: of {name!r} no highly rated item is held out, or no other review is left to learn from."
        )
    random.Random(f"{seed}/{name}/targets").shuffle(targets)  # noqa: S311
    return Reviewer(name, str(value.get("domain") or UNKNOWN_DOMAIN), kept, list(dict.fromkeys(targets)))


def _is_review(review: object) -> bool:
    return (
        isinstance(review, dict)
        and isinstance(review.get("item"), str)
        and isinstance(review.get("text"), str)
        and isinstance(review.get("rating"), int | float)
    )


def _mean(reviews: Sequence[Json]) -> float:
    return fmean(review["rating"] for review in reviews)


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
        """Raise CommandError without a recommender, and for two users of one name."""
        super().check()
        names = [one.id for one in self.reviewers]
        for name in names:
            if names.count(name) > 1:
                raise CommandError(f"--reviews: two users have the id {name!r}. Give each a different `id`.")

    def components(self) -> list[Component]:
        """Return profiles, messages and reflections of users, choices, verdicts, comparisons."""
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
        """Make the profiles, play and judge all sessions, and tabulate them."""
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
        findings.add(users(reviewers))
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
        """Sessions of users with a taste; by rule they ask for the attributes of what they rated highly. A `name` tells them
        from the main ones."""
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
    """Agreement of the rubrics with people (table 4)."""
    if not plan.labels:
        findings.leave_out("agreement of the rubrics with people (table 4)", agreeing.NO_LABELS)
        return
    names = {
        "percent_agreement": "agreement",
        "cohen_kappa": "Cohen's kappa",
        "randolph_kappa": "Randolph's kappa",
        "quadratic_weighted_kappa": "quadratic weighted",
    }
    rows = agreeing.with_people(every, agreeing.people(plan.labels, free), [*names])
    printed = published("pepper")["people"]["rows"]
    table = [
        [one.judge, factor, *agreeing.figures(rows, one.judge, factor, [*names]), *printed[factor]]
        for one in every
        for factor in FACTORS
    ]
    bounded = [column for name in names.values() for column in agreeing.with_bounds(name)]
    columns = ("judge", "factor", "ratings", *bounded, "published: agreement, %", "published: kappa")
    title, place = "Agreement with people (PEPPER, table 4)", source("pepper", "people")
    findings.add(StudyTable("agreement-with-people", title, columns, table, agreeing.INTERVALS, place))


async def _choices(players: Players) -> None:
    """The share of choices in which the user's model prefers the held-out item that the user rated higher (table 2)."""
    study, findings, model = players.study, players.study.findings, players.plan.user_model
    pairs = {one.id: found for one in players.reviewers if (found := rated_pairs(one))}
    if model is None or not pairs:
        why = "no --user-model" if model is None else "no user has two held-out items rated apart"
        findings.leave_out("how well users reflect preferences (table 2)", why)
        return
    catalogue = catalogue_of(study.catalog_file)

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
    """Tabulate each judge's preferences between the sessions of users with a taste and with targets (a stand-in for figure 5),
    and return them."""
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


async def profiles(study: StudyRun, given: Sequence[Reviewer], model: str | None) -> list[Reviewer]:
    """The users with their profiles: by the model, else by the attributes of what they rated highly. Users whose profile
    failed are left out. Raises CommandError where rules find no attributes."""
    if model is None:
        return [_by_rule(study, one) for one in given]
    jobs = []
    for one in given:
        fields = ("item", "rating", "text", "held_out")
        sent = [{name: review[name] for name in fields} for review in one.reviews]
        body = {"reviews": sent, "domain": one.domain, "judge": model, "catalog": study.catalog}
        jobs.append(Job(one.id, None, "/simulate/profile", present(body)))
    records = await study.step("profiles", jobs)
    answered = ((one, record.answer) for one, record in zip(given, records, strict=True))
    return [
        replace(one, preferences=made["preferences"], tastes=made["seen"]) for one, made in answered if made
    ]


def _by_rule(study: StudyRun, one: Reviewer) -> Reviewer:
    catalogue = catalogue_of(study.catalog_file)
    liked: Counter[str] = Counter()
    disliked: Counter[str] = Counter()
    for review in one.reviews:
        item = catalogue.match(review["item"]) if catalogue else None
        if item is not None and not review["held_out"]:
            side = liked if review["rating"] >= _mean(one.reviews) else disliked
            side.update(value for values in item.attributes.values() for value in values)
    wishes = [value for value, _ in (liked - disliked).most_common(MOST_WISHES)]
    if not wishes:
        raise CommandError(
            f"{one.id}: without --user-model a taste is made from the attributes of highly rated items: give their "
            "catalogue by --catalog."
        )
    avoids = [value for value, _ in (disliked - liked).most_common(MOST_WISHES)]
    taste = f"You like {joined(wishes)}." + (f" You do not like {joined(avoids)}." if avoids else "")
    return replace(one, preferences=taste, wishes=wishes)


def representations(reviewer: Reviewer) -> Mapping[str, str]:
    """The user's taste in three forms (table 2)."""
    known = "\n".join(f"{one['item']}: {one['review']}" for one in reviewer.seen)
    likes = [word for taste in reviewer.tastes for word in taste["likes"]]
    dislikes = [word for taste in reviewer.tastes for word in taste["dislikes"]]
    both = f"Likes: {', '.join(likes)}. Dislikes: {', '.join(dislikes)}."
    return {"raw reviews": known, "likes and dislikes": both, "preferences": reviewer.preferences}


def rated_pairs(reviewer: Reviewer) -> list[tuple[str, str]]:
    """Held-out items of different ratings, the better first; neighbours in the order of ratings."""
    held = [one for one in reviewer.reviews if one["held_out"]]
    rated = pairwise(sorted(held, key=lambda one: (-one["rating"], one["item"])))
    return [(a["item"], b["item"]) for a, b in rated if a["rating"] > b["rating"] and a["item"] != b["item"]]


def users(reviewers: Sequence[Reviewer]) -> StudyTable:
    """The users in numbers (table 7)."""
    rows: list[list[Any]] = [
        ["users", len(reviewers)],
        ["mean reviews", fmean(len(one.reviews) for one in reviewers)],
        ["mean seen items", fmean(len(one.seen) for one in reviewers)],
        ["mean targets", fmean(len(one.targets) for one in reviewers)],
        ["users with one target alone", sum(len(one.targets) == 1 for one in reviewers)],
    ]
    return StudyTable("users", "Users (PEPPER, table 7)", ("figure", "value"), rows)


async def coverage(study: StudyRun, free: Sequence[StudySession]) -> None:
    """Coverage and recall of target-free users, turn by turn and at the end (table 5, figure 6)."""
    findings = study.findings
    wanted = _coverages(CUTS) | recalls(CUTS, "turn")
    numbers = await measure(study, free, wanted)
    title = "Preference coverage at the end, and mean recall of a turn (PEPPER, table 5)"
    findings.tabulate("coverage", title, numbers, list(wanted))
    findings.add(_printed("coverage", "metric"))
    names = {"preference_coverage": "PC", "preference_coverage_increase": "PCIR"}
    by_system = await _by_system(study, free, names)
    rows: list[list[Any]] = [
        [system, f"{short}@{k}", *_turns(found, metric, k)]
        for system, found in by_system.items()
        for metric, short in names.items()
        for k in CUTS
    ]
    title = "Preference coverage and its increase by turn (PEPPER, equations 1 and 2)"
    note = "A session that ended keeps its value. The paper's figure 6 is a plot; its last values are those of table 5."
    sheet = _by_turn("coverage-by-turn", title, ("system", "metric"), rows, note)
    series = {name: _turns(rows, "preference_coverage", LONGEST) for name, rows in by_system.items()}
    findings.add(
        sheet, lines(f"Preference coverage by turn, PC@{LONGEST} (PEPPER, figure 6)", series, "turn")
    )


async def bias(study: StudyRun, groups: Mapping[str, Sequence[StudySession]]) -> None:
    """The gap between targets that were described and the others (table 3, figures 2 and 3)."""
    findings = study.findings
    numbers: list[Measured] = []
    recalled: list[Measured] = []
    for player, played in groups.items():
        several = [session for session in played if len(session.log["ground_truth"]) > 1]
        described = {
            f"{player}, {half}": WantedFigure("preference_coverage", "session", LONGEST, label)
            for half, label in HALVES.items()
        }
        numbers += await measure(study, several, described)
        parts: dict[str, list[StudySession]] = {"selected": [], "residual": []}
        for one in several:
            targets = one.log["ground_truth"]
            middle = (len(targets) + 1) // 2
            for half, own in zip(parts.values(), (targets[:middle], targets[middle:]), strict=True):
                half.append(replace(one, log={**one.log, "ground_truth": own}))
        for name, half in parts.items():
            recalled += await measure(study, half, recalls((LONGEST,), "turn", f"{player}, {name}"))
    if not numbers:
        findings.leave_out("selected and residual targets (table 3, figure 2)", "no user has two targets")
    else:
        factors = [f"{player}, {half}" for player in groups for half in HALVES]
        title = f"Coverage of selected and residual targets, PC@{LONGEST} (PEPPER, table 3)"
        findings.tabulate("bias", title, numbers, factors)
        findings.add(_printed("bias", "users and targets"))
        halves = [f"{player}, {half}" for player in groups for half in ("selected", "residual")]
        title = f"Recall of a turn on selected and residual targets, Recall@{LONGEST} (PEPPER, figure 2)"
        findings.tabulate("bias-recall", title, recalled, halves, scale=(0, 1))
        findings.add(_printed("bias_recall", "users and targets"))
    names = {"recall": f"Recall@{LONGEST}", "list_distance": "Jaccard distance of lists"}
    for player, played in groups.items():
        by_system = await _by_system(study, played, names)
        for metric, label in names.items():
            series = {name: _turns(rows, metric, LONGEST) for name, rows in by_system.items()}
            name = f"{metric.replace('_', '-')}-{player}"
            title = f"{label} by turn, {player} users (PEPPER, figure 3)"
            sheet = _by_turn(name, title, ("system",), [[system, *found] for system, found in series.items()])
            findings.add(sheet, lines(title, series, "turn"))


async def rubrics(study: StudyRun, every: Sequence[JudgeRun]) -> None:
    """The increase of coverage a turn, and the three rubrics (table 6)."""
    increase = {f"PCIR@{LONGEST}": WantedFigure("preference_coverage_increase", "session", LONGEST)}
    for one in every:
        rated = [found for found in one.numbers() if found.factor in FACTORS]
        numbers = [*rated, *await measure(study, one.sessions.values(), increase)]
        title = f"Elicitation: increase of coverage a turn, and rubrics on 1-5, judge {one.judge} (PEPPER, table 6)"
        sheet = table_of(f"rubrics-{one.file}", summarise(title, numbers, factors=[*increase, *FACTORS]))
        shown = summarise(f"Rubrics, 1-5, judge {one.judge} (PEPPER, table 6)", rated, factors=FACTORS)
        study.findings.add(sheet, chart(shown, 1, 5))
    study.findings.add(_printed("rubrics", "metric"))


async def beside(
    study: StudyRun, groups: Mapping[str, Sequence[StudySession]], name: str, title: str, cuts: Sequence[int]
) -> None:
    """Coverage at the end of the same users' sessions, played in several ways."""
    numbers: list[Measured] = []
    for group, played in groups.items():
        numbers += await measure(study, played, _coverages(cuts, f"{group}, "))
    factors = [f"{group}, PC@{k}" for group in groups for k in cuts]
    study.findings.tabulate(name, title, numbers, factors)
    study.findings.add(_printed(name, "metric" if name == "players" else "users"))


def _printed(name: str, label: str) -> StudyTable:
    title = f"Published: {published('pepper')[name]['place']}"
    return published_table("pepper", name, title, [label], digits=4)


def _coverages(cuts: Sequence[int], before: str = "") -> dict[str, WantedFigure]:
    return {f"{before}PC@{k}": WantedFigure("preference_coverage", "session", k) for k in cuts}


async def _by_system(
    study: StudyRun, played: Sequence[StudySession], names: Iterable[str]
) -> dict[str, Sequence[Json]]:
    found: dict[str, Sequence[Json]] = {}
    for system, logs in logs_by_system(played).items():
        answer = await metrics(study, {"logs": logs, "metrics": list(names), "k": list(CUTS)})
        found[system] = answer["rows"]
    return found


def _by_turn(
    name: str, title: str, labels: Sequence[str], rows: Sequence[Sequence[Any]], note: str = ""
) -> StudyTable:
    """Put the figures of each turn into columns behind the labels. Short rows end in empty cells."""
    most = max(map(len, rows), default=len(labels))
    columns = (*labels, *(f"turn {number}" for number in range(1, most - len(labels) + 1)))
    padded = [[*row, *[None] * (most - len(row))] for row in rows]
    return StudyTable(name, title, columns, padded, note, digits=4)


def _turns(rows: Sequence[Json], metric: str, k: int) -> list[float | None]:
    """The figure at each turn."""
    found = {
        row["turn"]: row["value"]
        for row in rows
        if (row["metric"], row["scope"], row["k"]) == (metric, "turn", k) and row["turn"] is not None
    }
    return [found.get(turn) for turn in range(1, max(found, default=0) + 1)]


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
