"""Computed abilities of a conversation, for the judge of CONCEPT's overall performance."""

from collections.abc import Mapping, Sequence

from ....api.wire.verdict import Verdict
from ....domain.verdict import JudgeName, Scored, nearest_level
from ....metrics.abilities import IN_HAND, IN_HAND_SCALE, of_known
from ...inputs import Json
from ..options import BUILTIN
from ..steps import StudyRun
from .judgements import JudgeRun
from .measuring import metrics

REVISION = "concept-in-hand-1"


async def computed_abilities(
    asking: StudyRun, judged: JudgeRun, pairs: Mapping[str, Sequence[Json]], matching: str
) -> dict[str, list[Json]]:
    """Quality, reliability, sincerity and identity of each session with verdicts, as verdicts themselves. Nothing for the
    embedded judge, whose rule weighs the judged abilities alone."""
    if judged.judge == BUILTIN:
        return {}
    found = {}
    for name, record in judged.scored:
        body = {
            "logs": [judged.sessions[name].log],
            "verdicts": [record.verdicts],
            "reply_pairs": list(pairs.get(name, ())) or None,
            "metrics": ["acceptance_rate"],
            "matching": matching,
        }
        found[name] = _as_verdicts((await metrics(asking, body))["abilities"])
    return found


def _as_verdicts(abilities: Mapping[str, Sequence[Json]]) -> list[Json]:
    parts = {part["name"]: part for scores in abilities.values() if scores for part in scores[0]["parts"]}
    known = {name: part["value"] for name, part in parts.items() if part["value"] is not None}
    return [
        Verdict.on_scale(
            Scored(
                factor=slug,
                judge=JudgeName(BUILTIN),
                evaluator_revision=REVISION,
                score=score,
                level=nearest_level(score),
                rationale=_rationale(names, parts, known),
            ),
            IN_HAND_SCALE,
        ).model_dump(mode="json")
        for slug, names in IN_HAND.items()
        if (score := of_known(slug, known)) is not None
    ]


def _rationale(names: Sequence[str], parts: Mapping[str, Json], known: Mapping[str, float]) -> str:
    """The parts with their scales: shares from 0 to 1, judged ones from 1 to 5."""
    told = []
    for name in names:
        words = name.replace("_", " ")
        if name in known:
            ends = "share, 0 to 1" if parts[name]["unit"] == "share" else "judged, 1 to 5"
            told.append(f"{words} {known[name]:.2f} ({ends})")
        else:
            told.append(f"{words} does not arise")
    return f"Computed: {', '.join(told)}."
