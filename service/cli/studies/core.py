"""CoRE from the sessions to the tables: factors, debates, agreement of judges with one another and with people, tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

from ...domain.rubric import Protocol
from ...factors import load_factors
from ...statistics.ratings import Rating
from ...statistics.rows import StatRow
from ..inputs import Json
from ..scores import MEAN_OF_FACTORS, OVERALL
from ..tabulating.formats import StudyTable, chart, table_of
from ..tabulating.summary import summarise
from . import instruments, judgements, sessions
from .judgements import PERSUASIVENESS, JudgeRun, title_of
from .rankings import debate_roles, debate_rounds, tabulate_coupling, tabulate_ranks, token_tables
from .report import Findings, published, published_table, source
from .sessions import SUCCESS_RATE_RATIO, StudySession, dataset_of, measure, measure_each, recalls
from .steps import StudyRun
from .study import Component, UsersPlan, check_names, file_name, intervals_over, members

CUTS = (1, 5, 10)
ROUNDS = 5
COMMON = "GPT-4o-mini"
"""The judge whose published table the report shows at once."""


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
        super().check()
        sessions.check_wanted(self.users)
        check_names("metadata.dataset", [*{dataset_of(one.log): 0 for one in self.given}])

    def components(self) -> list[Component]:
        count = self.count
        found = [Component("users", self.user_model, count * ROUNDS, "target")]
        if self.rated_whole:
            found += [Component("persuasiveness", name, count, "factor") for name in self.raters]
        for judge in self.judges:
            found.append(Component("factors", judge, count * 12 * (self.samples or 1), "factor"))
            found.append(Component("debates", members([judge])[0], count * 4 * self.rounds, "statement"))
        return found

    def simulator(self, seed: int) -> Json:
        return self.played(seed, ROUNDS, type="target", min_rounds=3)

    async def run(self, study: StudyRun) -> None:
        findings = study.findings
        played = await sessions.take(study, self)
        more = {**self.scoring, "variant": self.variant}
        every = [await judgements.judge(study, name, played, ["core"], more) for name in self.judges]
        if self.rounds:
            for one in every:
                await judgements.debate(study, one, self.rounds, stop=self.stop)
        _systems(findings, every, self)
        wanted = recalls(CUTS, "session") | SUCCESS_RATE_RATIO
        numbers = await measure(study, played, wanted)
        findings.tabulate("recall", "Recall of the session list (CoRE, section 6.3)", numbers, list(wanted))
        _debates(findings, every, self)
        for one in every:
            tabulate_coupling(findings, one, slugs())
        tabulate_ranks(findings, every, slugs())
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
    printed = published("core")["factors"]  # by ten judges, all but one folded
    for name, table in printed["judges"].items():
        rows = {factor: [f"{mean:.2f} ({sd:.2f})" for mean, sd in table[factor]] for factor in slugs()}
        title = f"Published: systems by factor, mean (SD), judge {name}"
        theirs = {"columns": printed["columns"], "place": f"table {table['table']}", "rows": rows}
        file, folded = f"factors-{file_name(name)}", name != COMMON
        findings.add(published_table("core", file, title, ["factor"], printed=theirs, folded=folded))


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


async def _people(
    study: StudyRun, plan: CorePlan, every: Sequence[JudgeRun], played: Sequence[StudySession]
) -> None:
    findings = study.findings
    if not plan.labels:
        findings.leave_out("agreement with people (figure 10, tables 7 and 22)", judgements.NO_LABELS)
        findings.leave_out("mixture of evaluators (figure 11)", "it needs --labels")
        return
    given = judgements.people(plan.labels, played)
    others = await _other_scores(study, plan, played) if plan.rated_whole else []
    rows = judgements.with_people(every, [*given, *others])
    judges = [one.judge for one in every]
    findings.add(kappas(rows, judges, slugs()))
    findings.add(overall_with_people(rows, judges))
    if len(every) < 2:
        findings.leave_out("mixture of evaluators (figure 11)", "one judge; --judge may be repeated")
    elif best := best_judges(rows, slugs()):
        findings.sheets += mixtures(every, best)
        title = "Published: mixture of evaluators (CoRE, figure 11)"
        findings.add(published_table("core", "mixture", title, ["factor", "judge"]))


async def _other_scores(study: StudyRun, plan: CorePlan, played: Sequence[StudySession]) -> list[Rating]:
    """Persuasiveness by each judge and the users' model, and recall, as ratings of the whole to compare with debates (table 7)."""
    found = []
    for name in plan.raters:
        step = "persuasiveness"
        persuaded = await judgements.judge(study, name, played, [PERSUASIVENESS], {}, step=step)
        rater = f"{f'simulated user {name}' if name == plan.user_model else name}, {step}"
        found += [
            judgements.rating(session, OVERALL, rater, verdict["score"])
            for session, verdict in persuaded.verdicts
        ]
    found += [
        judgements.rating(session, OVERALL, name, value)
        for session, values in await measure_each(study, played, recalls(CUTS, "session"))
        for name, value in values.items()
    ]
    return found


def kappas(rows: Sequence[StatRow], judges: Sequence[str], factors: Sequence[str]) -> StudyTable:
    """Quadratic weighted kappa with people by factor, the best published beside (figure 10, table 22)."""
    printed = published("core")["kappas"]["judges"]
    own = [column for judge in judges for column in judgements.with_bounds(judge)]
    columns = ["factor", "conversations", *own, "published: GPT-4o-mini", "published: best"]
    table: list[list[Any]] = []
    for factor in factors:
        here = [judgements.figures(rows, judge, factor, ["quadratic_weighted_kappa"]) for judge in judges]
        values = [value for _, *bounds in here for value in bounds]
        best, name = max((each[factor], name) for name, each in printed.items())
        beside = [printed["GPT-4o-mini"][factor], f"{best:.3f} ({name})"]
        table.append([factor, max(n for n, *_ in here), *values, *beside])
    title = "Agreement with people by factor, quadratic weighted kappa (CoRE, table 22, figure 10)"
    place = source("core", "kappas")
    return StudyTable("kappa-with-people", title, columns, table, judgements.INTERVALS, place, digits=3)


def overall_with_people(rows: Sequence[StatRow], judges: Sequence[str]) -> StudyTable:
    """Correlations of overall scores with people's overall (table 7)."""
    raters = dict.fromkeys(str(row.rater) for row in rows if row.factor == OVERALL)
    names = {MEAN_OF_FACTORS: "mean of factors", OVERALL: "debate"}
    scored = [(judge, factor, f"{judge}, {name}") for judge in judges for factor, name in names.items()]
    scored += [(rater, OVERALL, rater) for rater in raters if rater not in judges]
    compared = {(row.rater, row.factor) for row in rows}
    table: list[list[Any]] = [
        [name, *judgements.figures(rows, rater, factor, ["spearman", "kendall_tau_b"])]
        for rater, factor, name in scored
        if (rater, factor) in compared
    ]
    for name, (spearman, tau) in published("core")["overall"]["rows"].items():
        table.append([f"published: {name}", 80, spearman, None, None, tau, None, None])
    title = "Agreement of overall scores with people (CoRE, table 7)"
    columns = (
        "score",
        "conversations",
        *judgements.with_bounds("Spearman"),
        *judgements.with_bounds("tau-b"),
    )
    place = source("core", "overall")
    return StudyTable("overall-with-people", title, columns, table, judgements.INTERVALS, place, digits=3)


def best_judges(rows: Sequence[StatRow], factors: Sequence[str]) -> dict[str, str]:
    """For each factor the judge with the highest quadratic weighted kappa, the first of equal ones."""
    found: dict[str, tuple[float, str]] = {}
    for row in rows:
        if row.statistic == "quadratic_weighted_kappa" and row.value is not None and row.factor in factors:
            factor = str(row.factor)
            if factor not in found or row.value > found[factor][0]:
                found[factor] = row.value, str(row.rater)
    return {factor: rater for factor, (_, rater) in found.items()}


def mixtures(judged: Sequence[JudgeRun], best: Mapping[str, str]) -> list[StudyTable]:
    """The systems on each factor by its best judge (figure 11): over all conversations, and for each dataset."""
    chosen = "; ".join(f"{factor}: {name}" for factor, name in best.items())
    sheets = []
    for dataset in judged[0].datasets:
        by_name = {one.judge: one.numbers(dataset) for one in judged}
        numbers = [one for factor, name in best.items() for one in by_name[name] if one.factor == factor]
        title = f"Mixture of evaluators{title_of(dataset)} (CoRE, figure 11)"
        weighed = "" if dataset else " Datasets weigh by their conversations."
        name = "-".join(filter(None, ["mixture", dataset and file_name(dataset)]))
        summary = summarise(title, numbers, factors=list(best))
        sheets.append(table_of(name, summary, f"Judges: {chosen}.{weighed}"))
    return sheets


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
