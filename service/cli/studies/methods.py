"""Methods that compare replies with people's: what each is asked, its answers, and panels of models (Behavior Alignment, section 3)."""

from collections.abc import Mapping, Sequence

from ...alignment.pair import Judged, Pair, Reply, Side, StrategyFinding, compare, majority
from ...alignment.score import Alignment, Weighed, align
from ...alignment.strategies import StrategyName
from ..inputs import Json, grouped, present
from ..run import Job
from .contexts import HumanContexts, HumanTurn, MethodAnswers, Replied
from .steps import StudyRun
from .study import file_name

EXPLICIT, LLM = "explicit", "llm"


async def ask_method(
    study: StudyRun, material: HumanContexts, method: str, judge: str | None, samples: int | None = None
) -> MethodAnswers:
    """A method's answers: a request for each dialogue of each system under each seed."""
    by = judge or method
    jobs, places = [], []
    for system in material.systems:
        pairs = (
            ((place.dialogue, place.seed), (place, pair))
            for place, reply in material.answered(system)
            if (pair := _pair(place, reply, method, material.labels.get(f"{system}/{place.id}"))) is not None
        )
        for sent in grouped(pairs).values():
            fields = {"pairs": [pair for _, pair in sent], "judge": judge, "samples": samples}
            body = present({"method": method, **fields})
            jobs.append(Job(f"{system}/{sent[0][0].session}", system, "/behavior-alignment", body))
            places.append([place.id for place, _ in sent])
    found: dict[str, list[tuple[str, Pair, Judged]]] = {system: [] for system in material.systems}
    for record, ids in zip(await study.step(f"alignment-{file_name(by)}", jobs), places, strict=True):
        if record.answer:
            answered = map(_judged, record.answer["pairs"])
            found[record.system or ""] += [(id_, *one) for id_, one in zip(ids, answered, strict=True)]
    return _answers(by, found)


def join_panel(panel: str, answers: Sequence[MethodAnswers]) -> MethodAnswers:
    """The labels that most models of a panel give, the first of equal ones."""
    found: dict[str, list[tuple[str, Pair, Judged]]] = {}
    for system in answers[0].systems:
        labelled: dict[str, list[Weighed]] = grouped(
            pair
            for one in answers
            for pair in zip(one.places[system], one.systems[system].pairs, strict=True)
        )
        found[system] = []
        for place, each in labelled.items():
            candidate, reference = (
                majority([label for one in each if (label := one.judged.finding(side))]) for side in Side
            )
            found[system].append((place, each[0].pair, compare(candidate, reference)))
    return _answers(panel, found)


def _answers(by: str, found: Mapping[str, Sequence[tuple[str, Pair, Judged]]]) -> MethodAnswers:
    """The alignment over all pairs of each system, each dialogue resampled whole."""
    systems: dict[str, Alignment] = {}
    for system, each in found.items():
        pairs, judged = [pair for _, pair, _ in each], [one for *_, one in each]
        systems[system] = align(pairs, judged)
    return MethodAnswers(
        by, systems, {system: [place for place, *_ in each] for system, each in found.items()}
    )


def _judged(one: Json) -> tuple[Pair, Judged]:
    said = Reply(("",))  # the words have no part in it
    candidate, reference = (_finding(one["strategies"][side.value]) for side in Side)
    judged = Judged(candidate, reference, one["aligned"], one["aligned_any"], one["rationale"])
    return Pair(said, said, one["dialogue"], one["turn"]), judged


def _finding(used: Sequence[Json] | None) -> StrategyFinding | None:
    if not used:
        return None
    shares = tuple(one["probability"] for one in used)
    names = tuple(StrategyName(one["strategy"]) for one in used)
    return StrategyFinding(names, None if None in shares else shares)


def _pair(place: HumanTurn, reply: Replied, method: str, label: StrategyName | None) -> Json | None:
    pair: Json = {
        "candidate": reply.text,
        "reference": place.reference,
        "dialogue": place.dialogue,
        "turn": place.turn,
    }
    if method == LLM:
        pair["context"] = [*place.log.get("history", ()), *place.messages]
    if method == EXPLICIT:
        if label is None or place.label is None:
            return None
        pair |= {"candidate_strategy": label.value, "reference_strategy": place.label.value}
    return pair
