"""CoRE from the sessions to the tables: factors, debates, agreement of judges with one another and with people, tokens."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from statistics import fmean
from typing import Any, ClassVar

from ...domain.rubric import Protocol
from ...factors import load_factors
from ...statistics.bootstrap import Resamples
from ...statistics.coefficients import Coefficient
from ...statistics.comparison import over_systems
from ...statistics.ratings import Rating, Ratings
from ...statistics.rows import StatRow, Workshop
from ...statistics.sheets import RaterScores, align, sort_ratings
from ..inputs import Json
from ..scores import MEAN_OF_FACTORS, OVERALL
from ..tabulating.formats import StudyTable, chart, heat_map, lines, table_of
from ..tabulating.summary import Measured, summarise
from . import agreeing, instruments, judgements, sessions
from .judgements import PERSUASIVENESS, JudgeRun, title_of
from .options import check_names, file_name, members
from .report import Findings, of_plot, published, published_table, source
from .sessions import SUCCESS_RATE_RATIO, StudySession, dataset_of, measure, measure_each, recalls
from .steps import StudyRun
from .study import Component, UsersPlan, intervals_over

PRINTED_ROUND = 4
"""The round of which the paper's text gives figures."""
CUTS = (1, 5, 10)
FEWEST_SYSTEMS = 3
"""Of a ranking."""
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
    spent: Sequence[tuple[str, str, float]],
    note: str,
    printed: Mapping[str, float] | None = None,
    place: str = "",
) -> StudyTable:
    """Mean tokens by row and judge, beside those that the paper prints."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, judge, count in spent:
        found[row, judge].append(count)
    judges = list(dict.fromkeys(judge for _, judge in found))
    rows = [
        [row, *(fmean(found[row, judge]) if (row, judge) in found else None for judge in judges)]
        + ([printed.get(row)] if printed else [])
        for row in dict.fromkeys(row for row, _ in found)
    ]
    columns = (label, *judges, *(["published"] if printed else []))
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
        check_names("metadata.dataset", [*{dataset_of(one.log): 0 for one in self.given}])

    def components(self) -> list[Component]:
        """Return messages of users, verdicts, statements of debates."""
        count = self.count
        found = [Component("users", self.user_model, count * ROUNDS, "target")]
        if self.rated_whole:
            found += [Component("persuasiveness", name, count, "factor") for name in self.raters]
        for judge in self.judges:
            found.append(Component("factors", judge, count * 12 * (self.samples or 1), "factor"))
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
        wanted = recalls(CUTS, "session") | SUCCESS_RATE_RATIO
        numbers = await measure(study, played, wanted)
        findings.tabulate("recall", "Recall of the session list (CoRE, section 6.3)", numbers, list(wanted))
        _debates(findings, every, self)
        for one in every:
            _coupling(findings, one)
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
        findings.leave_out("agreement with people (figure 10, tables 7 and 22)", agreeing.NO_LABELS)
        findings.leave_out("mixture of evaluators (figure 11)", "it needs --labels")
        return
    given = agreeing.people(plan.labels, played)
    others = await _other_scores(study, plan, played) if plan.rated_whole else []
    rows = agreeing.with_people(every, [*given, *others])
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
    found += [
        agreeing.rating(session, OVERALL, name, value)
        for session, values in await measure_each(study, played, recalls(CUTS, "session"))
        for name, value in values.items()
    ]
    return found


def _coupling(findings: Findings, judged: JudgeRun) -> None:
    """Kendall's tau-b between every two factors of a judge (figure 7)."""
    factors = slugs()
    given = [one for one in agreeing.ratings(judged) if one.factor in factors]
    rows = agreeing.agreement(given, ["coupling", "mean_coupling"])
    found = [row for row in rows if row.statistic == "coupling" and row.value is not None]
    if not found:
        part = f"coupling of factors (figure 7), judge {judged.judge}"
        findings.leave_out(part, "no two factors vary together")
        return
    title = f"Coupling of factors, Kendall's tau-b, judge {judged.judge} (CoRE, figure 7)"
    taus = {frozenset((row.factor, row.other_factor)): row.value for row in found}
    square = [[1.0 if a == b else taus.get(frozenset((a, b))) for b in factors] for a in factors]
    mean = next((row for row in rows if row.statistic == "mean_coupling"), None)
    size, printed = "mean of the absolute values", published("core")["coupling"]["rows"]
    table: list[list[Any]] = [[row.factor, row.other_factor, row.n, *agreeing.bounded(row)] for row in found]
    table.append([size, None, mean.conversations if mean else None, *agreeing.bounded(mean)])
    table += [
        [f"{size}, published: {name}", None, None, value, None, None] for name, value in printed.items()
    ]
    columns = ("factor", "other factor", "conversations", *agreeing.with_bounds("tau-b"))
    place = source("core", "coupling")
    sheet = StudyTable(
        f"coupling-{judged.file}", title, columns, table, agreeing.INTERVALS, place, digits=3, folded=True
    )
    findings.add(sheet, heat_map(title, list(factors), square))


def _ranks(findings: Findings, every: Sequence[JudgeRun]) -> None:
    count = len(every[0].systems)
    if count < FEWEST_SYSTEMS:
        why = f"a ranking needs {FEWEST_SYSTEMS} systems, and there are {count}"
        findings.leave_out("rankings of systems (figures 8 and 9)", why)
        return
    findings.sheets += [ranks_of_factors(one, slugs()) for one in every]
    if len(every) < 2:
        findings.leave_out("rankings judge against judge (figure 8)", "one judge; --judge may be repeated")
    else:
        findings.add(ranks_of_judges(every))


def ranks_of_factors(judged: JudgeRun, factors: Sequence[str]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two factors (figure 9)."""
    scores = _by_factor([judged])[judged.judge]
    known = [factor for factor in factors if factor in scores]
    rows = [[a, b, *_tau_of_systems(scores[a], scores[b])] for a, b in combinations(known, 2)]
    title = f"Rankings of systems, factor against factor, Kendall's tau-b, judge {judged.judge}"
    columns = ("factor", "other factor", "systems", *agreeing.with_bounds("tau-b"))
    words = of_plot("core", "ranks_of_factors")
    name, title = f"ranks-by-factor-{judged.file}", f"{title} (CoRE, figure 9)"
    return StudyTable(name, title, columns, rows, *words)


def ranks_of_judges(every: Sequence[JudgeRun]) -> StudyTable:
    """Kendall's tau-b between the rankings of systems by two judges, on each factor (figure 8)."""
    scores = _by_factor(every)
    rows = [
        [factor, first, second, *_tau_of_systems(ours, scores[second][factor])]
        for first, second in combinations(scores, 2)
        for factor, ours in scores[first].items()
        if factor in scores[second]
    ]
    title = "Rankings of systems, judge against judge, Kendall's tau-b (CoRE, figure 8)"
    columns = ("factor", "judge", "other judge", "systems", *agreeing.with_bounds("tau-b"))
    return StudyTable("ranks-by-judge", title, columns, rows, *of_plot("core", "ranks_of_judges"))


def _by_factor(every: Sequence[JudgeRun]) -> dict[str, dict[str, RaterScores]]:
    """Scores of each judge by factor."""
    sheets = sort_ratings(Ratings.from_objects(agreeing.all_ratings(every))).sheets
    return {
        one.judge: {sheet.factor: sheet.judges[one.judge] for sheet in sheets if one.judge in sheet.judges}
        for one in every
    }


def _tau_of_systems(first: RaterScores, second: RaterScores) -> list[Any]:
    """Return how many systems both scored, and tau-b of the systems' means over what both scored, with its interval over users."""
    (row,) = over_systems([Coefficient.KENDALL_TAU_B], align(first, second), Workshop(Resamples()))
    return [row.n, *agreeing.figure_cells(row.value, row.interval)]


def kappas(rows: Sequence[StatRow], judges: Sequence[str], factors: Sequence[str]) -> StudyTable:
    """Quadratic weighted kappa with people by factor, the best published beside (figure 10, table 22)."""
    printed = published("core")["kappas"]["judges"]
    own = [column for judge in judges for column in agreeing.with_bounds(judge)]
    columns = ["factor", "conversations", *own, "published: GPT-4o-mini", "published: best"]
    table: list[list[Any]] = []
    for factor in factors:
        here = [agreeing.figures(rows, judge, factor, ["quadratic_weighted_kappa"]) for judge in judges]
        values = [value for _, *bounds in here for value in bounds]
        best, name = max((each[factor], name) for name, each in printed.items())
        beside = [printed["GPT-4o-mini"][factor], f"{best:.3f} ({name})"]
        table.append([factor, max(n for n, *_ in here), *values, *beside])
    title = "Agreement with people by factor, quadratic weighted kappa (CoRE, table 22, figure 10)"
    place = source("core", "kappas")
    return StudyTable("kappa-with-people", title, columns, table, agreeing.INTERVALS, place, digits=3)


def overall_with_people(rows: Sequence[StatRow], judges: Sequence[str]) -> StudyTable:
    """Correlations of overall scores with people's overall (table 7)."""
    raters = dict.fromkeys(str(row.rater) for row in rows if row.factor == OVERALL)
    names = {MEAN_OF_FACTORS: "mean of factors", OVERALL: "debate"}
    scored = [(judge, factor, f"{judge}, {name}") for judge in judges for factor, name in names.items()]
    scored += [(rater, OVERALL, rater) for rater in raters if rater not in judges]
    compared = {(row.rater, row.factor) for row in rows}
    table: list[list[Any]] = [
        [name, *agreeing.figures(rows, rater, factor, ["spearman", "kendall_tau_b"])]
        for rater, factor, name in scored
        if (rater, factor) in compared
    ]
    for name, (spearman, tau) in published("core")["overall"]["rows"].items():
        table.append([f"published: {name}", 80, spearman, None, None, tau, None, None])
    title = "Agreement of overall scores with people (CoRE, table 7)"
    columns = ("score", "conversations", *agreeing.with_bounds("Spearman"), *agreeing.with_bounds("tau-b"))
    place = source("core", "overall")
    return StudyTable("overall-with-people", title, columns, table, agreeing.INTERVALS, place, digits=3)


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
    """The systems on each factor by its best judge (figure 11): all datasets together, each weighing as many conversations as
    it has, and each dataset alone."""
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
