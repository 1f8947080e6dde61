"""CoRE from the sessions to the tables."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ....domain.rubric import Protocol
from ....factors import load_factors
from ...inputs import Json
from ...scores import OVERALL
from ...tabulating.summary import Measured, summarise
from ..figures import chart
from ..papers import published
from ..sheets import Sheet, sheet_of
from ..steps import Asking
from ..study import Findings
from . import agreeing, auditing, debates, judgements, mixing, printed, sessions, spreads
from .judgements import Judged, per_dataset, title_of
from .measuring import recalls
from .sessions import Session, file_name

if TYPE_CHECKING:
    from ..kinds.core import Asked

CUTS = (1, 5, 10)
PERSUASIVENESS = "ievalm-persuasiveness"


@cache
def slugs() -> tuple[str, ...]:
    """The twelve factors."""
    return tuple(factor.slug for factor in load_factors().of(Protocol.CORE))


async def run(asking: Asking, asked: "Asked", systems: Sequence[str], judges: Sequence[str]) -> Findings:
    """All steps, and what they come to."""
    findings = Findings()
    asking.folder.write_lines("users.jsonl", [user.log for user in asked.users])
    played, records = await sessions.play(asking, asked.users, systems, asked.seeds, asked.simulator)
    findings.failures += sum(record.answer is None for record in records)
    more = {"samples": asked.samples, "variant": asked.variant}
    every = [await judgements.judge(asking, name, played, ["core"], more) for name in judges]
    if asked.rounds:
        for one in every:
            await judgements.debate(asking, one, asked.rounds, stop=asked.stop)
    findings.sheets.append(sessions.told(records))
    findings.failures += sum(one.failures for one in every)
    _systems(findings, every)
    findings.sheets.append(await _recall(asking, played))
    _debates(findings, every, asked)
    await _coupling(asking, findings, every)
    _ranks(findings, every, systems)
    await _people(asking, findings, asked, every, played)
    _spreads(findings, every, asked)
    findings.sheets.append(judgements.tokens(every, published("core")["tokens"]))
    await auditing.audit(asking, findings, {"simulated": [one.log for one in played]}, asked.humans)
    if asked.rounds:
        findings.sheets.append(debates.tokens(every, published("core")["debate_tokens"]))
    _tell(findings, asked, systems, judges)
    return findings


def _systems(findings: Findings, every: Sequence[Judged]) -> None:
    """Systems by factors, for each judge, all datasets together and each alone (tables 23-32)."""
    for one in every:
        for dataset in per_dataset(one):
            title = f"Systems by factor{title_of(dataset)}, judge {one.judge} (CoRE, tables 23-32)"
            summary = one.summary(title, slugs(), dataset)
            name = "-".join(filter(None, ["factors", file_name(one.judge), dataset and file_name(dataset)]))
            findings.sheets.append(sheet_of(name, summary))
            # A debate's score is on 0-100: it has no place on the figure's scale.
            shown = tuple(name for name in summary.factors if not (one.debates and name == OVERALL))
            findings.figures[name] = chart(replace(summary, factors=shown), 0, 4)
    findings.sheets += printed.tables([one.judge for one in every], slugs())


async def _recall(asking: Asking, played: Sequence[Session]) -> Sheet:
    """Recall@k of each session's list: one request for all sessions (CoRE, section 6.3)."""
    numbers: list[Measured] = []
    answered = [session for session in played if session.answered]
    for session in answered:
        found = await recalls(asking, session.log, CUTS, "session")
        numbers += [
            Measured(session.system, f"Recall@{k}", session.user, value) for k, value in found.items()
        ]
    factors = [f"Recall@{k}" for k in CUTS]
    summary = summarise("Recall of the session list (CoRE, section 6.3)", numbers, factors=factors)
    return sheet_of("recall", summary)


def _debates(findings: Findings, every: Sequence[Judged], asked: "Asked") -> None:
    if not asked.rounds:
        findings.leave_out("debates (figures 5 and 12, table 21)", "--no-debate")
        return
    for one in every:
        findings.sheets.append(debates.by_role(one))
        sheet, drawn = debates.by_round(one, asked.rounds, stop=asked.stop)
        findings.sheets.append(sheet)
        findings.figures[sheet.name] = drawn
    if asked.stop:
        why = "they end there, and keep their last round; --rounds 10 --no-stop goes on, as the paper does for its figure"
        findings.leave_out("debates that go on after all agree (figure 5)", why)


async def _coupling(asking: Asking, findings: Findings, every: Sequence[Judged]) -> None:
    for one in every:
        found = await agreeing.coupling(asking, one, slugs())
        if found is None:
            findings.leave_out(
                f"coupling of factors (figure 7), judge {one.judge}", "no two factors vary together"
            )
        else:
            sheet, drawn = found
            findings.sheets.append(sheet)
            findings.figures[sheet.name] = drawn


def _ranks(findings: Findings, every: Sequence[Judged], systems: Sequence[str]) -> None:
    if len(systems) < agreeing.FEWEST_SYSTEMS:
        why = f"a ranking needs {agreeing.FEWEST_SYSTEMS} systems, and there are {len(systems)}"
        findings.leave_out("rankings of systems (figures 8 and 9)", why)
        return
    summaries = {one.judge: one.summary(one.judge, slugs()) for one in every}
    for one in every:
        if (sheet := agreeing.ranks_of_factors(one, summaries[one.judge])) is not None:
            findings.sheets.append(sheet)
    if len(every) < 2:
        findings.leave_out("rankings judge against judge (figure 8)", "one judge; --judge may be repeated")
    else:
        findings.sheets.append(agreeing.ranks_of_judges(summaries))


async def _people(
    asking: Asking, findings: Findings, asked: "Asked", every: Sequence[Judged], played: Sequence[Session]
) -> None:
    if not asked.labels:
        why = "no --labels: have people rate the logs in the run's folder, and give the same command their ratings"
        findings.leave_out("agreement with people (figure 10, tables 7 and 22)", why)
        findings.leave_out("mixture of evaluators (figure 11)", "it needs --labels")
        return
    given = agreeing.people(asked.labels, played)
    others = await _other_scores(asking, findings, every, played) if _rates_overall(given) else []
    rows = await agreeing.with_people(asking, every, [*given, *others])
    judges = [one.judge for one in every]
    findings.sheets.append(agreeing.kappas(rows, judges, slugs()))
    findings.sheets.append(agreeing.overall_with_people(rows, judges))
    if len(every) < 2:
        findings.leave_out("mixture of evaluators (figure 11)", "one judge; --judge may be repeated")
    elif best := mixing.best_judges(rows, slugs()):
        findings.sheets += mixing.mixtures(every, best)
        findings.sheets.append(printed.mixture(slugs()))


def _rates_overall(given: Sequence[Json]) -> bool:
    return any(one["factor"] == OVERALL for one in given)


async def _other_scores(
    asking: Asking, findings: Findings, every: Sequence[Judged], played: Sequence[Session]
) -> list[Json]:
    """Persuasiveness by each judge, and recall, as ratings of the whole: what table 7 compares the debate with."""
    found = []
    for one in every:
        persuaded = await judgements.judge(
            asking, one.judge, played, [PERSUASIVENESS], {}, step="persuasiveness"
        )
        findings.failures += persuaded.failures
        for name, record in persuaded.records.items():
            rater = f"{one.judge}, persuasiveness"
            found += [
                agreeing.rating(persuaded.sessions[name], OVERALL, rater, "judge", verdict["score"])
                for verdict in record.verdicts
                if verdict["status"] == "scored"
            ]
    for session in played:
        if session.answered:
            recalled = await recalls(asking, session.log, CUTS, "session")
            found += [
                agreeing.rating(session, OVERALL, f"Recall@{k}", "judge", value)
                for k, value in recalled.items()
            ]
    return found


def _spreads(findings: Findings, every: Sequence[Judged], asked: "Asked") -> None:
    if (asked.samples or 1) < 2:
        findings.leave_out("repeats (table 8)", "one draw a verdict; --samples 10 draws ten")
    else:
        findings.sheets += [spreads.repeats(one, slugs(), published("core")["repeats"]) for one in every]
    if asked.seeds < 2:
        findings.leave_out(
            "spread over the simulator's seeds", "one seed; --seeds 5 plays each user five times"
        )
    else:
        findings.sheets += [spreads.seeds(one, slugs()) for one in every]


def _tell(findings: Findings, asked: "Asked", systems: Sequence[str], judges: Sequence[str]) -> None:
    player = (
        f"target users played by {asked.user_model} in sessions of 3 to 5 rounds"
        if asked.user_model
        else "rule-based users (a stand-in for target users that a model plays) in sessions of at most 5 rounds"
    )
    seeds = "one seed" if asked.seeds == 1 else f"{asked.seeds} seeds"
    findings.methods += [
        f"{sessions.recommenders(systems)} talked with {len(asked.users)} {player}, {seeds} a user.",
        f"Twelve factors were judged on 0-4 by {', '.join(judges)}"
        + (f", each verdict drawn {asked.samples} times." if asked.samples else "."),
        *judgements.read_as(asked.variant),
        *(
            [
                f"Four roles debated the verdicts in {'at most ' if asked.stop else ''}{asked.rounds} rounds to a score on 0-100."
            ]
            if asked.rounds
            else []
        ),
        "Intervals are 95 % percentile bootstraps over users; differences of systems were tested by permutation over users "
        "and corrected by Holm's method.",
    ]
