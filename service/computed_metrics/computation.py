"""All metrics over many logs: a checked request, one table, and the six abilities."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..catalogue.catalogue import Catalogue
from ..domain.conversation import ConversationLog
from ..domain.verdict import Scored, Verdict
from ..errors import FieldError, InvalidRequest
from ..statistics.bootstrap import DRAWS
from . import abilities as abilities_of
from .abilities import Ability, AbilityScore
from .families import metrics as known_metrics
from .families.coordination import ABILITIES, READ_BY_ABILITIES, coordinate, log_parts
from .families.reliability import consistent_action, sensitive_pairs
from .figures import Figure, Label, MetricRow, View, spread, sum_up
from .item_index import ItemIndex, Matching
from .log_index import CorpusIndex, Cuts, LogContext, session_hits
from .metric import LogMetric, PairMetric
from .reply_pairs import ReplyPair, compare, default_view

METRICS: tuple[str, ...] = tuple(known_metrics())
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


def check_targets(logs: Sequence[ConversationLog]) -> None:
    """PEPPER section 4.2: coverage of no target at all is bad input, not zero. Raises InvalidRequest
    for logs whose `ground_truth` is an empty list."""
    detail = "an empty set of wanted items cannot be covered"
    fix = "name the wanted items, leave the field out, or ask for metrics without coverage"
    empty = [log.ground_truth is not None and not log.ground_truth for log in logs]
    _refuse(empty, "ground_truth", detail, fix)


def check_found_targets(contexts: Sequence[LogContext]) -> None:
    """The same for attributes that no item of a catalogue covers."""
    detail = "no item of the catalogue has them all, so no item is wanted"
    fix = "correct the attributes, give ground_truth, or name another catalog"
    missing = [
        bool(context.log.ground_truth is None and context.log.user and context.log.user.attributes)
        and context.stocked
        and not context.wanted
        for context in contexts
    ]
    _refuse(missing, "user/attributes", detail, fix)


def _refuse(wrong: Sequence[bool], field: str, detail: str, fix: str) -> None:
    errors = [FieldError(f"/logs/{index}/{field}", detail, fix) for index, one in enumerate(wrong) if one]
    if errors:
        raise InvalidRequest("Preference coverage needs wanted items.", errors=errors)


@dataclass(frozen=True)
class MetricsReport:
    """The table, and the abilities: one score for each group (coordination: for each group and kind
    of users)."""

    rows: tuple[MetricRow, ...]
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

    Raises InvalidRequest with JSON pointers into the body of `POST /computational-metrics`: for verdicts that do not go with
    the logs, and for an empty target set where coverage is computed (by default too)."""
    if verdicts and len(verdicts) != len(logs):
        detail = f"{len(verdicts)} lists of verdicts for {len(logs)} logs"
        raise InvalidRequest.at("/verdicts", detail, "send one list for each log, in their order")
    asked = tuple(known_metrics()[name] for name in dict.fromkeys(METRICS if metrics is None else metrics))
    of_logs = [metric for metric in asked if isinstance(metric, LogMetric)]
    wants_targets = any(metric.bad_without_targets for metric in of_logs)
    if wants_targets:
        check_targets(logs)
    given = {"k": k, "turns": turns}
    sizes = {name: tuple(sorted(set(one))) for name, one in given.items() if one is not None}
    cuts = Cuts(list_cutoff=list_cutoff, **sizes)
    corpus = CorpusIndex(catalogue, matching)
    scores = _scores(verdicts) if verdicts else [{}] * len(logs)
    contexts = [LogContext(log, corpus, known) for log, known in zip(logs, scores, strict=True)]
    _read(contexts, of_logs, cuts)
    if metrics is not None and wants_targets:
        check_found_targets(contexts)
    groups = _groups(contexts, group_by)
    rows: list[MetricRow] = []

    def produce(members: Sequence[LogContext]) -> Iterator[Figure]:
        return (figure for metric in of_logs for figure in metric.compute(members, cuts))

    for group, members in groups:
        rows += sum_up(list(produce(members)), draws).rows(group)
    for over in dict.fromkeys(spread_over):
        for group, members in _groups(contexts, [name for name in group_by if name != over]):
            rows += spread(_by_kind(members, over), over, group, produce, draws)
    pair_items = corpus.index_of_all(logs if reply_pairs else ())
    of_pairs = [metric for metric in asked if isinstance(metric, PairMetric)]
    rows += _pair_rows(reply_pairs, pair_items, of_pairs, draws)
    scored = [score for group, members in groups for score in _log_abilities(members, group, draws)]
    scored.append(_reliability(reply_pairs, pair_items, draws))
    # Abilities are in every answer, so coordination is computed whether asked for or not.
    for of_users, score in _over_users(contexts, group_by, draws):
        rows += of_users if known_metrics()["coordination"] in asked else []
        scored.append(score)
    by_ability = {ability: tuple(one for one in scored if one.ability is ability) for ability in Ability}
    return MetricsReport(tuple(rows), by_ability)


def computable(log: ConversationLog) -> tuple[str, ...]:
    """The metrics that a log can be asked for without its being bad input: coverage is not among
    them where `ground_truth` is an empty list."""
    empty = log.ground_truth is not None and not log.ground_truth
    return tuple(
        name
        for name, metric in known_metrics().items()
        if not (empty and isinstance(metric, LogMetric) and metric.bad_without_targets)
    )


def _read(contexts: Sequence[LogContext], metrics: Iterable[LogMetric], cuts: Cuts) -> None:
    """Work out what metrics and abilities keep of each log, one log after the other."""
    asked = [*metrics, *(known_metrics()[name] for name in READ_BY_ABILITIES)]
    works = {work for metric in asked if isinstance(metric, LogMetric) for work in metric.reads}
    works.add(session_hits(cuts.list_cutoff))
    for context in contexts:
        for work in works:
            context.of(work)


def _groups(
    contexts: Sequence[LogContext], group_by: Sequence[str]
) -> list[tuple[dict[str, str], list[LogContext]]]:
    """Readings by every combination of labels that occurs, in the order of first occurrence."""
    if not group_by:
        return [({}, list(contexts))]
    groups: dict[tuple[str, ...], list[LogContext]] = {}
    for context in contexts:
        labels = tuple(LABELS[name](context.log) or UNKNOWN for name in group_by)
        groups.setdefault(labels, []).append(context)
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


def _pair_rows(
    pairs: Sequence[ReplyPair], item_index: ItemIndex, metrics: Sequence[PairMetric], draws: int
) -> list[MetricRow]:
    rows: list[MetricRow] = []
    for view in (View.LISTS, View.TEXT):
        compared = compare(pairs, item_index, view)
        figures = [metric.compute(compared, view) for metric in metrics]
        rows += sum_up(figures, draws).rows({})
    return rows


def _log_abilities(
    contexts: Sequence[LogContext], group: Mapping[str, str], draws: int
) -> Iterator[AbilityScore]:
    figures = log_parts(contexts)
    summed = sum_up(list(figures.values()), draws)
    for ability in ABILITIES:
        yield abilities_of.score(ability, list(figures), summed, group)


def _reliability(pairs: Sequence[ReplyPair], item_index: ItemIndex, draws: int) -> AbilityScore:
    view = default_view(pairs)
    compared = compare(pairs, item_index, view)
    figures = [metric(compared, view) for metric in (consistent_action, sensitive_pairs)]
    summed = sum_up(figures, draws)
    return abilities_of.score(Ability.RELIABILITY, [one.metric for one in figures], summed, {})


def _over_users(
    contexts: Sequence[LogContext], group_by: Sequence[str], draws: int
) -> Iterator[tuple[list[MetricRow], AbilityScore]]:
    """Over personas and over age groups, within each combination of the other labels."""
    for over in USERS:
        others = [name for name in group_by if name != over]
        for group, members in _groups(contexts, others):
            yield coordinate(_by_kind(members, over), over, group, draws)


def _by_kind(contexts: Sequence[LogContext], over: str) -> list[list[LogContext]]:
    """The contexts of each kind of users that a label names; contexts of no known kind are left out."""
    kinds: dict[str, list[LogContext]] = {}
    for context in contexts:
        if (kind := LABELS[over](context.log)) is not None:
            kinds.setdefault(kind, []).append(context)
    return list(kinds.values())
