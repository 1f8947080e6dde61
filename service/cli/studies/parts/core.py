"""CoRE from the sessions to the tables, with its debates (figures 5 and 12) and tokens (tables 20, 21)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import fmean
from typing import Any, ClassVar

from ....domain.rubric import Protocol
from ....factors import load_factors
from ....statistics.ratings import Rating
from ...inputs import Json
from ...scores import OVERALL
from ...tabulating.formats import StudyTable, chart, lines, table_of
from ...tabulating.summary import Measured, summarise
from ..options import members
from ..report import Findings, of_plot, published, published_table, source
from ..steps import StudyRun
from ..study import Component, UsersPlan, intervals_over
from . import agreeing, instruments, judgements, sessions
from .judgements import PERSUASIVENESS, JudgeRun, title_of
from .sessions import SUCCESS_RATE_RATIO, StudySession, file_name, measure, recalls

PRINTED_ROUND = 4
"""The round of which the paper's text gives figures."""
CUTS = (1, 5, 10)
ROUNDS = 5
"""Of a session."""
COMMON = "GPT-4o-mini"
"""The judge whose published table the report shows at once."""


def _held_debates(judged: JudgeRun) -> Iterator[tuple[str, str, Json]]:
    """System, user and debate of each session."""
    for name, record in judged.records.items():
        if record.debate is not None:
            yield judged.sessions[name].system, judged.sessions[name].user, record.debate


def debate_roles(judged: JudgeRun) -> StudyTable:
    """Each role's mean in the last round, by system, and their mean (figure 12)."""
    numbers = []
    for system, user, debate in _held_debates(judged):
        numbers += [
            Measured(system, said["role"], user, float(said["score"]))
            for said in debate["rounds"][-1]["statements"]
            if said["score"] is not None
        ]
        numbers.append(Measured(system, "mean of roles", user, float(debate["overall"])))
    roles = sorted({one.factor for one in numbers} - {"mean of roles"})
    title = f"Debate by role, 0-100, judge {judged.judge} (CoRE, figure 12)"
    note, place = of_plot("core", "roles")
    sheet = table_of(
        f"debate-roles-{judged.file}", summarise(title, numbers, factors=[*roles, "mean of roles"]), note
    )
    return replace(sheet, source=place)


def debate_rounds(judged: JudgeRun, rounds: int, *, stop: bool) -> tuple[StudyTable, str]:
    """Shares of debates in which all roles, or three quarters, agree after each round (figure 5); a debate that has
    ended, since it was to `stop`, keeps its last round."""
    by_system: dict[str, list[Json]] = {}
    for system, _, debate in _held_debates(judged):
        by_system.setdefault(system, []).append(debate)
    rows: list[list[Any]] = []
    series: dict[str, list[float]] = {}
    for system, debates in by_system.items():
        for agreement in ("all", "major"):
            held = [[bool(one[f"{agreement}_agree"]) for one in debate["rounds"]] for debate in debates]
            shares = [fmean(one[min(number, len(one) - 1)] for one in held) for number in range(rounds)]
            rows.append([system, f"{agreement} agree", len(debates), *shares])
            series[f"{system}, {agreement} agree"] = shares
    title = f"Agreement of the roles by round, judge {judged.judge} (CoRE, figure 5)"
    columns = ("system", "agreement", "debates", *(f"round {number}" for number in range(1, rounds + 1)))
    for system, found in published("core")["rounds"]["rows"].items() if rounds >= PRINTED_ROUND else ():
        for agreement in ("all", "major"):
            rest = [found[agreement] if number == PRINTED_ROUND else None for number in range(1, rounds + 1)]
            rows.append([f"published: {system}", f"{agreement} agree", None, *rest])
    ends = (
        "A debate ends when all agree, and then keeps its last round." if stop else "Debates have all rounds."
    )
    name = f"debate-rounds-{judged.file}"
    sheet = StudyTable(name, title, columns, rows, f"Shares of debates. {ends}", source("core", "rounds"))
    return sheet, lines(title, series, "round")


def token_tables(judged: Sequence[JudgeRun]) -> Iterator[StudyTable]:
    """Yield the mean tokens of each factor's verdict (table 20). Debates add those of each round (table 21), and of each role in it."""
    verdicts = [
        (verdict["factor"], run.judge, total_tokens(verdict["usage"]))
        for run in judged
        for record in run.records.values()
        for verdict in record.verdicts
    ]
    printed, note = published("core"), "Mean tokens of a verdict, input and output together."
    yield _token_table("factor", verdicts, note, printed["tokens"]["rows"], source("core", "tokens"))
    rounds = [
        (run.judge, one) for run in judged for _, _, debate in _held_debates(run) for one in debate["rounds"]
    ]
    if not rounds:
        return
    spent = [
        (f"round {one['round']}", judge, sum(total_tokens(said["usage"]) for said in one["statements"]))
        for judge, one in rounds
    ]
    known = {f"round {number}": count for number, count in enumerate(printed["debate_tokens"]["rounds"], 1)}
    note = "Mean tokens of all roles' statements in debates that came to the round."
    yield _token_table("round", spent, note, known, source("core", "debate_tokens"))
    by_role = [
        (f"{said['role']}, round {one['round']}", judge, total_tokens(said["usage"]))
        for judge, one in rounds
        for said in one["statements"]
    ]
    by_role.sort(key=lambda one: one[0].rpartition(",")[0])
    yield _token_table(
        "role", by_role, "Mean tokens of a role's statement in debates that came to the round."
    )


def _token_table(
    label: str,
    spent: Iterable[tuple[str, str, float]],
    note: str,
    printed: Mapping[str, float] | None = None,
    place: str = "",
) -> StudyTable:
    """Mean tokens by row and judge, beside those that the paper prints."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row, judge, count in spent:
        found[row][judge].append(count)
    names = list(dict.fromkeys(judge for by_judge in found.values() for judge in by_judge))
    rows = [
        [row, *(fmean(each[name]) if each.get(name) else None for name in names)]
        + ([printed.get(row)] if printed else [])
        for row, each in found.items()
    ]
    columns = (label, *names, *(["published"] if printed else []))
    return StudyTable(f"tokens-by-{label}", f"Tokens by {label}", columns, rows, note, place, digits=1)


def total_tokens(usage: Mapping[str, Any]) -> float:
    """Return the tokens behind an answer, paid for now or kept: those of a kept one were spent when it was asked for."""
    return float(usage["input_tokens"] + usage["output_tokens"] + usage["saved_tokens"])


@cache
def slugs() -> tuple[str, ...]:
    """The twelve factors."""
    return tuple(factor.slug for factor in load_factors().of(Protocol.CORE))


@dataclass(frozen=True, kw_only=True)
class CorePlan(UsersPlan):
    """Target users, twelve factors, a debate of `rounds` at most, 0 for none; without `stop` every debate has all of them."""

    name: ClassVar = "core"
    papers: ClassVar = ("core", "ievalm")
    rounds: int
    stop: bool
    variant: str | None
    labels: Sequence[Json]

    @property
    def rated_whole(self) -> bool:
        """Return whether people gave overall ratings: persuasiveness is then compared with these."""
        return any(one.get("factor") == OVERALL for one in self.labels)

    def check(self) -> None:
        """Raise CommandError for users that the simulator cannot play, and without a recommender."""
        super().check()
        sessions.check_wanted(self.users)

    def components(self) -> list[Component]:
        """Return messages of users, verdicts, statements of debates."""
        count = self.count
        found = [Component("users", self.user_model, count * ROUNDS, "target")] if self.user_model else []
        if self.rated_whole:
            found += [Component("persuasiveness", name, count, "factor") for name in self.raters]
        for judge in self.judges:
            verdicts = count * 12 * (self.samples or 1)
            found.append(Component("factors", judge, verdicts, "factor"))
            found.append(Component("debates", members([judge])[0], count * 4 * self.rounds, "statement"))
        return found

    def simulator(self, seed: int) -> Json:
        """Return the target user of section 6.4; by rule without a model."""
        return self.played(seed, ROUNDS, type="target", min_rounds=3)

    async def run(self, study: StudyRun) -> None:
        """Play, judge and debate all sessions, and tabulate them."""
        findings = study.findings
        played = await sessions.take(study, self)
        more = {**self.scoring, "variant": self.variant}
        every = [await judgements.judge(study, name, played, ["core"], more) for name in self.judges]
        if self.rounds:
            for one in every:
                await judgements.debate(study, one, self.rounds, stop=self.stop)
        _systems(findings, every, self)
        await _recall(study, played)
        _debates(findings, every, self)
        _coupling(findings, every)
        _ranks(findings, every)
        await _people(study, self, every, played)
        await instruments.check(study, self, every, slugs(), {"simulated": played})
        findings.sheets += token_tables(every)
        findings.methods += _methods(self, played)


def _systems(findings: Findings, every: Sequence[JudgeRun], plan: CorePlan) -> None:
    """Systems by factors, for each judge, all datasets together and each alone (tables 23-32)."""
    for one in every:
        for dataset in one.datasets:
            title = f"Systems by factor{title_of(dataset)}, judge {one.judge} (CoRE, tables 23-32)"
            summary = one.summary(title, slugs(), dataset)
            name = "-".join(filter(None, ["factors", one.file, dataset and file_name(dataset)]))
            # A debate's score is on 0-100: it has no place on the figure's scale.
            shown = tuple(name for name in summary.factors if not (plan.rounds and name == OVERALL))
            findings.add(table_of(name, summary), chart(replace(summary, factors=shown), 0, 4))
    findings.sheets += _published_systems()


def _published_systems() -> Iterator[StudyTable]:
    """Yield the tables of the paper's ten judges (23-32), all but one folded."""
    printed = published("core")["factors"]
    for name, table in printed["judges"].items():
        rows = {factor: [f"{mean:.2f} ({sd:.2f})" for mean, sd in table[factor]] for factor in slugs()}
        title = f"Published: systems by factor, mean (SD), judge {name}"
        one = {"columns": printed["columns"], "place": f"table {table['table']}", "rows": rows}
        file, folded = f"factors-{file_name(name)}", name != COMMON
        yield published_table("core", file, title, ["factor"], printed=one, folded=folded)


async def _recall(study: StudyRun, played: Sequence[StudySession]) -> None:
    """Recall@k of each session's list (CoRE, section 6.3), and the success-rate ratio."""
    wanted = recalls(CUTS, "session") | SUCCESS_RATE_RATIO
    numbers = await measure(study, played, wanted)
    study.findings.tabulate("recall", "Recall of the session list (CoRE, section 6.3)", numbers, list(wanted))


def _debates(findings: Findings, every: Sequence[JudgeRun], plan: CorePlan) -> None:
    if not plan.rounds:
        findings.leave_out("debates (figures 5 and 12, table 21)", "--no-debate")
        return
    for one in every:
        findings.add(debate_roles(one))
        findings.add(*debate_rounds(one, plan.rounds, stop=plan.stop))
    if plan.stop:
        why = "they end there, and keep their last round; --rounds 10 --no-stop goes on, as the paper does for its figure"
        findings.leave_out("debates that go on after all agree (figure 5)", why)


def _coupling(findings: Findings, every: Sequence[JudgeRun]) -> None:
    for one in every:
        found = agreeing.coupling(one, slugs())
        if found is None:
            findings.leave_out(
                f"coupling of factors (figure 7), judge {one.judge}", "no two factors vary together"
            )
        else:
            findings.add(*found)


def _ranks(findings: Findings, every: Sequence[JudgeRun]) -> None:
    count = len(every[0].systems)
    if count < agreeing.FEWEST_SYSTEMS:
        why = f"a ranking needs {agreeing.FEWEST_SYSTEMS} systems, and there are {count}"
        findings.leave_out("rankings of systems (figures 8 and 9)", why)
        return
    findings.sheets += [agreeing.ranks_of_factors(one, slugs()) for one in every]
    if len(every) < 2:
        findings.leave_out("rankings judge against judge (figure 8)", "one judge; --judge may be repeated")
    else:
        findings.add(agreeing.ranks_of_judges(every))


async def _people(
    study: StudyRun, plan: CorePlan, every: Sequence[JudgeRun], played: Sequence[StudySession]
) -> None:
    findings = study.findings
    if not plan.labels:
        findings.leave_out("agreement with people (figure 10, tables 7 and 22)", agreeing.NO_LABELS)
        findings.leave_out("mixture of evaluators (figure 11)", "it needs --labels")
        return
    given = agreeing.people(plan.labels, played)
    others = await _other_scores(study, plan, played) if plan.rated_whole else []
    rows = agreeing.with_people(every, [*given, *others])
    judges = [one.judge for one in every]
    findings.add(agreeing.kappas(rows, judges, slugs()))
    findings.add(agreeing.overall_with_people(rows, judges))
    if len(every) < 2:
        findings.leave_out("mixture of evaluators (figure 11)", "one judge; --judge may be repeated")
    elif best := agreeing.best_judges(rows, slugs()):
        findings.sheets += agreeing.mixtures(every, best)
        title = "Published: mixture of evaluators (CoRE, figure 11)"
        findings.add(published_table("core", "mixture", title, ["factor", "judge"]))


async def _other_scores(study: StudyRun, plan: CorePlan, played: Sequence[StudySession]) -> list[Rating]:
    """Persuasiveness, by the model that played the users and by each judge, and recall, as ratings of the whole. Table 7
    compares the debate with them."""
    found = []
    for name in plan.raters:
        step = "persuasiveness"
        persuaded = await judgements.judge(study, name, played, [PERSUASIVENESS], {}, step=step)
        rater = f"{f'simulated user {name}' if name == plan.user_model else name}, {step}"
        found += [
            agreeing.rating(session, OVERALL, rater, verdict["score"])
            for session, verdict in persuaded.verdicts
        ]
    for session in played:
        found += [
            agreeing.rating(session, OVERALL, one.factor, one.value)
            for one in await measure(study, [session], recalls(CUTS, "session"))
        ]
    return found


def _methods(plan: CorePlan, played: Sequence[StudySession]) -> list[str]:
    rounds = f"in sessions of {'3 to' if plan.user_model else 'at most'} 5 rounds"
    drawn = f", each verdict drawn {plan.samples} times." if plan.samples else "."
    sentences = [
        sessions.described(plan, played, len(plan.users), sessions.player(plan, "target users"), rounds),
        f"Twelve factors were judged on 0-4 by {', '.join(plan.judges)}{drawn}",
        *judgements.read_as(plan.variant),
    ]
    if plan.rounds:
        most = "at most " if plan.stop else ""
        sentences.append(
            f"Four roles debated the verdicts in {most}{plan.rounds} rounds to a score on 0-100."
        )
    return [*sentences, intervals_over("users")]
