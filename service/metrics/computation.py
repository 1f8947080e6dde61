"""All metrics over many logs: one table, and the six abilities."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog
from ..domain.verdict import Scored, Verdict
from ..statistics.bootstrap import DRAWS
from . import abilities as abilities_of
from . import elicitation, recommendation, reliability, sincerity, text
from .abilities import Ability, AbilityScore
from .checks import check_cuts, check_found_targets, check_names, check_targets, check_verdicts
from .coordination import coordinate
from .figures import Figure, Label, Metric, Row, View, sum_up
from .matching import Matching
from .reading import Cuts, Reading
from .reliability import PAIR_METRICS, Comparison, ReplyPair
from .shelf import Library, Shelf
from .spread import spread

Producer = Callable[[Sequence[Reading], Cuts], Iterator[Figure]]

LOG_METRICS: Mapping[str, Producer] = {
    Metric.RECALL: recommendation.recall,
    Metric.SUCCESS_RATE: recommendation.success_rate,
    Metric.AVERAGE_TURNS: recommendation.average_turns,
    Metric.ACCEPTANCE_RATE: recommendation.acceptance_rate,
    Metric.TURNS_TO_ACCEPTANCE: recommendation.turns_to_acceptance,
    Metric.PREFERENCE_COVERAGE: elicitation.preference_coverage,
    Metric.PREFERENCE_COVERAGE_INCREASE: elicitation.preference_coverage_increase,
    Metric.LIST_DISTANCE: elicitation.list_distance,
    Metric.NONEXISTENT_ITEMS: sincerity.nonexistent_items,
    Metric.DECEPTIVE_ACCEPTANCES: sincerity.deceptive_acceptances,
    Metric.HONEST_EXPLANATIONS: sincerity.honest_explanations,
    Metric.DISTINCT_1: text.distinct_1,
    Metric.DISTINCT_2: text.distinct_2,
    Metric.TURNS_BEFORE_RECOMMENDATION: text.turns_before_recommendation,
    Metric.CONVERSATION_TURNS: text.conversation_turns,
}
COVERAGE_METRICS = (Metric.PREFERENCE_COVERAGE, Metric.PREFERENCE_COVERAGE_INCREASE)
METRICS: tuple[str, ...] = tuple(metric.value for metric in Metric)

UNKNOWN = "unknown"
LABELS: Mapping[str, Callable[[ConversationLog], str | None]] = {
    Label.SYSTEM: lambda log: log.system,
    Label.PERSONA: lambda log: log.user.persona.casefold() if log.user and log.user.persona else None,
    Label.AGE_GROUP: lambda log: log.user.age_group.casefold() if log.user and log.user.age_group else None,
    Label.ATTRIBUTES: lambda log: (
        ", ".join(sorted(log.user.attributes, key=str.casefold)) if log.user else None
    ),
    Label.DOMAIN: lambda log: log.domain,
}
USERS = (Label.PERSONA, Label.AGE_GROUP)


@dataclass(frozen=True)
class MetricsReport:
    """The table, and the abilities: one score for each group (coordination: for each group and kind
    of users)."""

    rows: tuple[Row, ...]
    abilities: Mapping[Ability, tuple[AbilityScore, ...]]


def compute(
    logs: Sequence[ConversationLog],
    *,
    verdicts: Sequence[Sequence[Verdict]] = (),
    reply_pairs: Sequence[ReplyPair] = (),
    metrics: Sequence[str] | None = None,
    k: Sequence[int] | None = None,
    turns: Sequence[int] | None = None,
    group_by: Sequence[str] = (),
    spread_over: Sequence[str] = (),
    catalogue: Catalogue | None = None,
    matching: Matching = Matching.STRICT,
    list_cutoff: int = 10,
    draws: int = DRAWS,
) -> MetricsReport:
    """Compute the named metrics (all by default) and the abilities over logs, whole or apart by
    every combination of `group_by`.

    `verdicts` holds a list for each log, in order; `k` and `turns` are the cuts beside the whole
    list and session; `spread_over` names labels over whose groups the mean and the standard deviation
    of every figure of logs is taken; `catalogue` the request's, to which each log's own items are added, for the
    reply pairs those of all logs. Intervals are 95 % percentile intervals of a bootstrap over logs (reply pairs for reliability).

    Raises InvalidRequest with JSON pointers into the body of `POST /computational-metrics`: for
    names that are not known, for verdicts that do not go with the logs, and for an empty target
    set where coverage is computed (by default too)."""
    check_names(metrics, METRICS, group_by, LABELS, spread_over)
    check_cuts(k, turns)
    check_verdicts(logs, verdicts)
    asked = tuple(dict.fromkeys(METRICS if metrics is None else metrics))
    if any(name in asked for name in COVERAGE_METRICS):
        check_targets(logs)
    cuts = _cuts(k, turns, list_cutoff)
    library = Library(catalogue, matching)
    scores = _scores(verdicts) if verdicts else [{}] * len(logs)
    readings = [Reading(log, library, matching, known) for log, known in zip(logs, scores, strict=True)]
    if metrics is not None and any(name in asked for name in COVERAGE_METRICS):
        check_found_targets(readings)
    groups = _groups(readings, group_by)
    rows: list[Row] = []

    def produce(members: Sequence[Reading]) -> list[Figure]:
        return [f for name in asked if name in LOG_METRICS for f in LOG_METRICS[name](members, cuts)]

    for group, members in groups:
        rows += sum_up(produce(members), draws).rows(group)
    for over in dict.fromkeys(spread_over):
        for group, members in _groups(readings, [name for name in group_by if name != over]):
            kinds = [LABELS[over](reading.log) for reading in members]
            rows += spread(members, over, kinds, group, produce, draws=draws)
    pair_shelf = library.shelf_of_all(logs if reply_pairs else ())
    rows += _pair_rows(reply_pairs, pair_shelf, asked, draws)
    scored = [score for group, members in groups for score in _log_abilities(members, group, draws)]
    scored += _reliability(reply_pairs, pair_shelf, draws)
    for coordination_rows, score in _coordination(readings, group_by, draws):
        rows += coordination_rows if Metric.COORDINATION in asked else []
        scored.append(score)
    return MetricsReport(tuple(rows), _by_ability(scored))


def computable(log: ConversationLog) -> tuple[str, ...]:
    """The metrics that a log can be asked for without its being bad input: coverage is not among
    them where `ground_truth` is an empty list."""
    empty = log.ground_truth is not None and not log.ground_truth
    return tuple(name for name in METRICS if not (empty and name in COVERAGE_METRICS))


def _cuts(k: Sequence[int] | None, turns: Sequence[int] | None, list_cutoff: int) -> Cuts:
    default = Cuts()
    return Cuts(
        default.k if k is None else tuple(sorted(set(k))),
        default.turns if turns is None else tuple(sorted(set(turns))),
        list_cutoff,
    )


def _groups(
    readings: Sequence[Reading], group_by: Sequence[str]
) -> list[tuple[dict[str, str], list[Reading]]]:
    """Readings by every combination of labels that occurs, in the order of first occurrence."""
    if not group_by:
        return [({}, list(readings))]
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for reading in readings:
        labels = tuple(LABELS[name](reading.log) or UNKNOWN for name in group_by)
        groups.setdefault(labels, []).append(reading)
    return [(dict(zip(group_by, labels, strict=True)), members) for labels, members in groups.items()]


def _scores(verdicts: Sequence[Sequence[Verdict]]) -> list[dict[str, float]]:
    """For each log the mean score of each factor, over the verdicts that have one."""
    means = []
    for answers in verdicts:
        scores: dict[str, list[float]] = {}
        for verdict in answers:
            if isinstance(verdict, Scored):
                scores.setdefault(verdict.factor, []).append(verdict.score)
        means.append({factor: sum(known) / len(known) for factor, known in scores.items()})
    return means


def _pair_rows(pairs: Sequence[ReplyPair], shelf: Shelf, asked: Iterable[str], draws: int) -> list[Row]:
    rows: list[Row] = []
    for view in (View.LISTS, View.TEXT):
        compared = reliability.compare(pairs, shelf, view)
        figures = [PAIR_METRICS[name](compared, view) for name in asked if name in PAIR_METRICS]
        rows += sum_up(figures, draws).rows({})
    return rows


def _log_abilities(
    readings: Sequence[Reading], group: Mapping[str, str], draws: int
) -> Iterator[AbilityScore]:
    figures = abilities_of.log_parts(readings)
    summed = sum_up(list(figures.values()), draws)
    for ability in (Ability.QUALITY, Ability.COOPERATION, Ability.SOCIAL_AWARENESS, Ability.IDENTITY):
        yield abilities_of.score(ability, list(figures), summed, group)


def _reliability(pairs: Sequence[ReplyPair], shelf: Shelf, draws: int) -> list[AbilityScore]:
    view = reliability.default_view(pairs)
    compared: list[Comparison | None] = reliability.compare(pairs, shelf, view)
    figures = abilities_of.pair_parts(compared, view)
    summed = sum_up(list(figures.values()), draws)
    return [abilities_of.score(Ability.RELIABILITY, list(figures), summed, {})]


def _coordination(
    readings: Sequence[Reading], group_by: Sequence[str], draws: int
) -> Iterator[tuple[list[Row], AbilityScore]]:
    """Over personas and over age groups, within each combination of the other labels."""
    for over in USERS:
        others = [name for name in group_by if name != over]
        for group, members in _groups(readings, others):
            kinds = [LABELS[over](reading.log) for reading in members]
            yield coordinate(members, over, kinds, group, draws)


def _by_ability(scores: Sequence[AbilityScore]) -> dict[Ability, tuple[AbilityScore, ...]]:
    return {ability: tuple(s for s in scores if s.ability is ability) for ability in Ability}
