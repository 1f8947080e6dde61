"""Conversations that wait for a recommender's reply, and the replies beside people's.

Methods say which are aligned, and people which they prefer (Behavior Alignment, figures 2 and 3)."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from statistics import fmean
from typing import Any

from ...alignment.score import Alignment, Weighed
from ...alignment.strategies import StrategyName
from ...alignment.wording import bleu, wording
from ...domain.conversation import ConversationLog, Turn
from ...statistics.preference import CENTRE, SCALE, PairChoice, elo_ratings
from ...statistics.ratings import PEOPLE, RaterKind, Rating
from ..exits import CommandError
from ..inputs import Json, Source
from ..run import Job
from ..tabulating.formats import StudyTable, lines
from .judgements import agreement, bounded, figure_cells
from .report import Findings, published, source
from .sessions import parsed, system_of
from .steps import StudyRun, failure_of
from .study import file_name


@dataclass(frozen=True)
class OpenTurn:
    """A conversation that waits for a reply: its name, the dialogue that it is of, its messages, the user's last."""

    id: str
    dialogue: str
    messages: Sequence[Json]
    log: Json
    """Further fields of the log: domain, items."""
    seed: int = field(default=0, kw_only=True)

    @property
    def session(self) -> str:
        """Return the name of the dialogue under this seed: recommenders reply once in each."""
        return f"{self.dialogue}#{self.seed}" if self.seed else self.dialogue


@dataclass(frozen=True)
class Replied:
    """A recommender's reply, and how it failed where it gave none."""

    content: str
    recommendations: Sequence[str] | None
    failure: str | None

    @property
    def text(self) -> str:
        """Return what it says; of a reply that only shows items, which."""
        if self.content.strip() or not self.recommendations:
            return self.content
        return f"[shows: {', '.join(self.recommendations)}]"


MISSING = Replied("", None, "missing")
"""For a context that a system's log does not reply to."""


async def next_replies(
    study: StudyRun, contexts: Sequence[OpenTurn], systems: Sequence[str], step: str = "replies"
) -> dict[tuple[str, str], Replied]:
    """The reply of every system to every context, by system and context."""
    planned = list(product(systems, contexts))
    jobs = []
    for system, context in planned:
        log = {**context.log, "id": f"{system}/{context.session}", "messages": list(context.messages)}
        # Without rewordings the recommender hears the conversation as it was.
        body = {"simulator": {"type": "paraphrase", "count": 0}, "log": log, "crs": system}
        jobs.append(Job(f"{system}/{context.id}", system, "/simulate", body))
    found = {}
    for (system, context), record in zip(planned, await study.step(step, jobs), strict=True):
        said = record.answer["replies"][0] if record.answer else {}
        content, shown = said.get("content") or "", said.get("recommendations")
        found[system, context.id] = Replied(content, shown, failure_of(record))
    return found


def existing_replies(
    contexts: Sequence[OpenTurn], logs: Sequence[Source], humans: Mapping[str, ConversationLog]
) -> dict[tuple[str, str], Replied]:
    """The replies of each log's system, paired with the human conversation by its id and turn, by system and context. Raises
    CommandError for a log of another conversation, or whose user says something else."""
    found = {(system, one.id): MISSING for system in map(system_of, logs) for one in contexts}
    for one in logs:
        log, human = parsed(one), humans.get(one.conversation)
        if human is None:
            raise CommandError(f"{one.place}: no conversation of --humans has the id {one.conversation!r}.")
        own, theirs = _asked(log), _asked(human)
        if [said for said, *_ in own] != [said for said, *_ in theirs[: len(own)]]:
            raise CommandError(
                f"{one.place}: the user says something else than in {one.conversation!r} of --humans. Pass replies to that "
                "conversation, with its user's messages."
            )
        for (_, _, turn), (_, number, _) in zip(own, theirs, strict=False):
            reply = Replied(log.reply_text(turn), log.messages[turn.assistant[-1]].recommendations, None)
            place = system_of(one), place_id(one.conversation, number)
            if reply.text.strip():
                found[place] = reply
    return found


def _asked(log: ConversationLog) -> list[tuple[list[str], int, Turn]]:
    """Return the words of the user in each turn that has any, the turn's number, and the turn."""
    first = len(ConversationLog(log.history).turns) + 1
    found = [
        (" ".join(log.messages[index].content for index in turn.user).split(), number, turn)
        for number, turn in enumerate(log.turns, first)
    ]
    return [one for one in found if one[0]]


def place_id(dialogue: str, turn: int, seed: int = 0) -> str:
    """Return the id of a context, as labels and preferences name it."""
    return f"{dialogue}/{turn}{f'#{seed}' if seed else ''}"


@dataclass(frozen=True)
class HumanTurn(OpenTurn):
    """A turn of a human recommender. `turn` counts from 1 in its dialogue; `label` is its strategy, if known."""

    turn: int
    reference: str
    label: StrategyName | None


@dataclass(frozen=True)
class MethodAnswers:
    """A method's judgement of each system's replies. `by` is the method, or its model where it has one."""

    by: str
    systems: Mapping[str, Alignment]
    """Over the pairs that count, with the stage weights of INSPIRED."""
    places: Mapping[str, Sequence[str]]
    """The ids of the pairs' places, by system."""

    @property
    def of_people(self) -> Sequence[Weighed]:
        """Return a pair of each turn, of the first system that has any: people's side is alike in all."""
        pairs = next((one.pairs for one in self.systems.values() if one.pairs), ())
        turns = {(one.pair.dialogue, one.pair.turn): one for one in pairs}  # of several seeds, one
        return sorted(turns.values(), key=lambda one: one.pair.turn or 0)

    @property
    def known(self) -> Iterator[tuple[str, str, Weighed]]:
        """Yield each pair of which the method says whether it is aligned, behind its system and the id of its place."""
        for system, alignment in self.systems.items():
            for place, one in zip(self.places[system], alignment.pairs, strict=True):
                if one.judged.aligned is not None:
                    yield system, place, one

    @property
    def file(self) -> str:
        return file_name(self.by)


@dataclass
class HumanContexts:
    """The material of a run: conversations, contexts under each seed, replies, labels."""

    logs: Mapping[str, ConversationLog]
    places: Sequence[HumanTurn]
    replies: Mapping[tuple[str, str], Replied]
    systems: Sequence[str]
    labels: Mapping[str, StrategyName]
    """Strategies of the systems' replies, as annotators gave them, by the ids of `pairs/`."""

    @property
    def turns(self) -> list[HumanTurn]:
        """Return each context once."""
        return [place for place in self.places if not place.seed]

    def answered(self, system: str) -> list[tuple[HumanTurn, Replied]]:
        found = [(place, self.replies[system, place.id]) for place in self.places]
        return [(place, reply) for place, reply in found if reply.failure is None]


CHOICES = {"second": 0, "same": 1, "first": 2}
STEPS, SEED = 11, 42
LONGEST = 2
Metric = Callable[[Sequence[tuple[HumanTurn, str]]], float | None]
"""A figure of replies: of places, each with the system whose reply stands there. None where it is undefined."""


@dataclass(frozen=True)
class ReplyChoice:
    """A person's choice between two systems' replies in one place."""

    place: HumanTurn
    first: str
    second: str
    choice: int
    rater: str


def tabulate_preferences(
    findings: Findings, material: HumanContexts, every: Sequence[MethodAnswers], given: Sequence[Json]
) -> None:
    """Kappa of each metric with people, and each metric as preferred replies take the place of others."""
    if not given:
        why = "no --preferences: have people choose between two systems' replies in the folder's pairs/"
        findings.leave_out("agreement with preferences, and mixtures (figures 2 and 3)", why)
        return
    preferences = _read(given, material)
    metrics = _metrics(material, every)
    findings.add(_kappas(preferences, metrics))
    try:
        findings.add(_ratings(preferences))
    except ValueError as wrong:
        findings.leave_out("ratings of systems from preferences", str(wrong))
    if firm := [one for one in preferences if one.choice != CHOICES["same"]]:
        findings.add(*_mixtures(firm, metrics))
    else:
        findings.leave_out("mixtures (figure 3)", "nobody prefers one reply to another")


def _read(given: Sequence[Json], material: HumanContexts) -> list[ReplyChoice]:
    places = {place.id: place for place in material.places}
    found: dict[tuple[str, frozenset[str], str], ReplyChoice] = {}
    for one in given:
        context, first, second = (str(one.get(name)) for name in ("context", "first", "second"))
        if context not in places or first == second or not {first, second} <= set(material.systems):
            raise CommandError(
                f"--preferences: {context!r} with {first!r} and {second!r} is not a choice of this run. `context` must be an id from "
                "pairs/, and `first` and `second` two recommenders."
            )
        rater, choice = str(one.get("rater") or "person"), CHOICES.get(str(one.get("preferred")))
        if choice is None:
            raise CommandError(f"--preferences: {context}: `preferred` must be first, second or same.")
        key = context, frozenset((first, second)), rater
        if key in found:
            detail = f"{rater} chooses twice between {first} and {second}"
            raise CommandError(f"--preferences: {context}: {detail}; give the choice that counts.")
        found[key] = ReplyChoice(places[context], first, second, choice, rater)
    return list(found.values())


def _metrics(material: HumanContexts, every: Sequence[MethodAnswers]) -> dict[str, Metric]:
    def texts(replies: Sequence[tuple[HumanTurn, str]]) -> list[str]:
        return [material.replies[name, place.id].text for place, name in replies]

    def overlap(n: int) -> Metric:
        return lambda replies: bleu(
            [(text, place.reference) for text, (place, _) in zip(texts(replies), replies, strict=True)]
        )[n]

    return {
        **{f"alignment, {one.by}": _alignment(one) for one in every},
        **{f"BLEU@{n + 1}": overlap(n) for n in range(LONGEST)},
        "DIST@1": lambda replies: wording(texts(replies)).distinct_1,
        "DIST@2": lambda replies: wording(texts(replies)).distinct_2,
    }


def _alignment(compared: MethodAnswers) -> Metric:
    aligned = {(place, name): float(one.judged.aligned or False) for name, place, one in compared.known}

    def value(replies: Sequence[tuple[HumanTurn, str]]) -> float | None:
        known = [aligned[place.id, name] for place, name in replies if (place.id, name) in aligned]
        return fmean(known) if known else None

    return value


def _kappas(preferences: Sequence[ReplyChoice], metrics: Mapping[str, Metric]) -> StudyTable:
    """Cohen's kappa with people over first, second and same (figure 2); whole dialogues resampled."""
    ratings: dict[tuple[int, str], Rating] = {}
    units: dict[tuple[str, frozenset[str]], tuple[int, str, str]] = {}
    for one in preferences:
        unit = one.place.id, frozenset((one.first, one.second))
        number, *sides = units.setdefault(unit, (len(units), one.first, one.second))
        # Another rater may name the two systems the other way about.
        choice = one.choice if sides[0] == one.first else CHOICES["first"] - one.choice
        found = [(one.rater, RaterKind.HUMAN, choice)]
        for name, metric in metrics.items():
            values = [metric([(one.place, system)]) for system in sides]
            if values[0] is not None and values[1] is not None:
                found.append((name, RaterKind.JUDGE, 1 + (values[0] > values[1]) - (values[0] < values[1])))
        for rater, kind, score in found:
            ratings[number, rater] = Rating(
                conversation=one.place.dialogue,
                factor="preference",
                rater=rater,
                kind=kind,
                score=score,
                turn=number,
            )
    rows = agreement([*ratings.values()], ["cohen_kappa"])
    kappas = {row.rater: row for row in rows if row.over == "pooled" and row.other == PEOPLE}
    table: list[list[Any]] = []
    for name in metrics:
        row = kappas.get(name)
        table.append([name, row.n if row else 0, *bounded(row)])
    printed = published("alignment")["preferences"]["kappa"]
    table.append(["published: alignment, annotators' labels", 1000, printed, None, None])
    title = "Agreement with people's preferences, Cohen's kappa (Behavior Alignment, figure 2)"
    note = "Choices: the first, the second, the same. The interval is a 95 % percentile bootstrap over dialogues."
    columns, place = ("metric", "choices", "kappa", "low", "high"), source("alignment", "preferences")
    return StudyTable("preferences", title, columns, table, note, place, digits=3)


def _ratings(preferences: Sequence[ReplyChoice]) -> StudyTable:
    """The systems by people's preferences, whole dialogues resampled. Raises ValueError where some cannot be compared."""
    most = CHOICES["first"]
    choices = [
        PairChoice(one.place.dialogue, one.first, one.second, one.choice / most) for one in preferences
    ]
    rows = []
    for one in elo_ratings(choices):
        cells = figure_cells(one.rating, one.interval)
        rows.append([one.system, *cells, (one.rating - CENTRE) / SCALE, one.wins, one.n])
    columns = ("system", "rating", "low", "high", "log odds", "wins", "choices")
    note = (
        "Strengths by the model of Bradley and Terry, on Elo's scale: mean 1000, and 400 points are odds of 10 to 1. Ties are half a "
        "win. Each side of a compared pair has half a win more. The interval is a 95 % percentile bootstrap over dialogues."
    )
    title = "Ratings of systems from people's preferences"
    return StudyTable("ratings", title, columns, rows, note, digits=1)


def _mixtures(firm: list[ReplyChoice], metrics: Mapping[str, Metric]) -> tuple[StudyTable, str]:
    """Each metric over made-up systems: a share of preferred replies, the others not preferred (figure 3)."""
    random.Random(SEED).shuffle(firm)  # noqa: S311 - a sample, not a secret
    series: dict[str, list[float | None]] = {name: [] for name in metrics}
    for step in range(STEPS):
        chosen = [place * (STEPS - 1) < step * len(firm) for place in range(len(firm))]
        mixed = [
            (one.place, one.first if (one.choice == CHOICES["first"]) is preferred else one.second)
            for one, preferred in zip(firm, chosen, strict=True)
        ]
        for name, metric in metrics.items():
            series[name].append(metric(mixed))
    printed = published("alignment")["mixture"]
    title = "Metrics as preferred replies take the place of others (Behavior Alignment, figure 3)"
    columns = ("metric", *(f"{step * 10} %" for step in range(STEPS)))
    note = f"{len(firm)} choices."
    ends = [printed["low"], *[None] * (STEPS - 2), printed["high"]]
    rows = [*([name, *values] for name, values in series.items()), ["published: alignment", *ends]]
    sheet = StudyTable("mixture", title, columns, rows, note, source("alignment", "mixture"), digits=3)
    return sheet, lines(title, series, "preferred replies, in tenths from 0")
