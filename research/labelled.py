"""Labelled conversations, and which output of a judge answers which label.

Two formats are known, both one JSON object a line with a log's fields and `human`:

- CRSArena-Eval: `human.dialogue` holds one number a label, `human.turns[i]` numbers for message i;
- USS: `human.overall` and `human.turns[i]` hold the satisfaction of several annotators. Satisfaction
  is given at a user's message; it is read as a verdict on the reply before it.

Any other file may use the shape of the first with slugs of factors as labels."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

Line = dict[str, Any]
LOG_FIELDS = ("id", "system", "domain", "messages", "user", "outcome")
MESSAGE_FIELDS = ("role", "content", "recommendations")

# Label -> raters, each a judge's output or the mean of several factors' scores, those that were
# scored. Efficiency: people were asked whether suggestions that fit came within the first few turns, so that it is the
# mean of coherence's first turns. Interest: what keeps a user curious is a recommender that listens, leads and sounds
# alive, a plain mean; its parts were chosen by hand with the development half in view.
EARLY = 3
DIALOGUE: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "dialogue_overall": {"debate": ("debate",), "mean of factors": ("mean",)},
    "understanding": {"coherence": ("coherence",)},
    "preference_elicitation": {"proactiveness": ("proactiveness",)},
    "explanation": {"explainability": ("explainability",)},
    "task_completion": {"effectiveness": ("effectiveness",)},
    "efficiency": {"efficiency*": (f"coherence, first {EARLY} turns", "effectiveness")},
    "interest_arousal": {"interest*": ("coherence", "proactiveness", "naturalness")},
}
TURNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "relevance": {"coherence, turns": ("coherence",)},
    "interestingness": {
        "proactiveness, turns": ("proactiveness",),
        "interest*, turns": ("coherence", "proactiveness", "naturalness"),
    },
}
SATISFACTION = "satisfaction"


@dataclass(frozen=True)
class Labelled:
    """One log and what people said of it: scores by rater for each label, and for each label of
    turns by the index of the reply."""

    log: Line
    dialogue: Mapping[str, Mapping[str, float]]
    turns: Mapping[str, Mapping[int, Mapping[str, float]]]

    @property
    def name(self) -> str:
        """The log's id."""
        return str(self.log["id"])

    @property
    def system(self) -> str:
        """Return who talked."""
        return str(self.log.get("system") or "unknown")

    @property
    def half(self) -> str:
        """The data that the system was trained on: what follows the underscore in its name."""
        return self.system.partition("_")[2] or "all"

    @property
    def words(self) -> float:
        """Mean length of the replies."""
        replies = [m["content"] for m in self.log["messages"] if m["role"] == "assistant"]
        return fmean(len(text.split()) for text in replies) if replies else 0.0


def read_labelled(path: Path) -> list[Labelled]:
    """The file's logs with their labels; those without labels are left out."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return [_labelled(index, line) for index, line in enumerate(lines) if line.get("human")]


def _labelled(index: int, line: Line) -> Labelled:
    log = {name: line[name] for name in LOG_FIELDS if name in line}
    log["id"] = str(line.get("id") or f"line-{index + 1}")
    log["messages"] = [{n: m[n] for n in MESSAGE_FIELDS if n in m} for m in line["messages"]]
    human = line["human"]
    dialogue = {label: _by_rater(given) for label, given in human.get("dialogue", {}).items()}
    if "overall" in human:
        dialogue["dialogue_overall"] = _by_rater(human["overall"])
    turns: dict[str, dict[int, dict[str, float]]] = {}
    for place, given in enumerate(human.get("turns") or []):
        if isinstance(given, dict):
            for label, scores in given.items():
                # Satisfaction stands at the user's message and is about the reply before it.
                about = _reply_before(log["messages"], place) if label == SATISFACTION else place
                if about is not None:
                    turns.setdefault(label, {}).setdefault(about, _by_rater(scores))
        elif given is not None and (reply := _reply_before(log["messages"], place)) is not None:
            turns.setdefault(SATISFACTION, {}).setdefault(reply, _by_rater(given))
    return Labelled(log, {k: v for k, v in dialogue.items() if v}, turns)


def _by_rater(given: object) -> dict[str, float]:
    """One number is one annotator's; a list has one number an annotator."""
    scores = given if isinstance(given, list) else [given]
    return {f"annotator {n + 1}": float(score) for n, score in enumerate(scores) if score is not None}


def _reply_before(messages: Sequence[Line], place: int) -> int | None:
    return next((i for i in range(place - 1, -1, -1) if messages[i]["role"] == "assistant"), None)


def outputs(labelled: Labelled, answer: Mapping[str, Any]) -> Iterator[tuple[str, str, int | None, float]]:
    """Yield what a judge's answer says to the labels of this log: label, rater, turn, score."""
    for label in labelled.dialogue:
        for rater, parts in DIALOGUE.get(label, {label: (label,)}).items():
            if (score := _mean_of({**answer["scores"], **_early(answer)}, parts)) is not None:
                yield label, rater, None, score
    for label, places in labelled.turns.items():
        chosen = (
            TURNS["relevance"] if label == SATISFACTION else TURNS.get(label, {f"{label}, turns": (label,)})
        )
        for rater, parts in chosen.items():
            for place in places:
                at_turn = {factor: known.get(str(place)) for factor, known in answer["turns"].items()}
                if (score := _mean_of(at_turn, parts)) is not None:
                    yield label, rater, place, score


def _early(answer: Mapping[str, Any]) -> dict[str, float]:
    """The mean of each factor's first turns."""
    return {
        f"{factor}, first {EARLY} turns": fmean(known[place] for place in sorted(known, key=int)[:EARLY])
        for factor, known in answer["turns"].items()
        if known
    }


def _mean_of(scores: Mapping[str, float | None], parts: Sequence[str]) -> float | None:
    known = [score for part in parts if (score := scores.get(part)) is not None]
    return fmean(known) if known else None


def ratings(labelled: Sequence[Labelled], answers: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """The body of `/agreement`: people's labels and the judge's outputs, labels as factors. Logs
    without an answer are left out."""
    found: list[Line] = []
    for one in labelled:
        if one.name not in answers:
            continue
        common = {"conversation": one.name, "system": one.system}
        for label, rater, turn, score in outputs(one, answers[one.name]):
            made = {**common, "factor": label, "rater": rater, "kind": "judge", "score": score, "turn": turn}
            found.append(made if turn is not None else {**made, "length": one.words})
        places = [(label, None, by) for label, by in one.dialogue.items()]
        places += [(label, turn, by) for label, at in one.turns.items() for turn, by in at.items()]  # type: ignore[misc]
        for label, turn, by_rater in places:
            for rater, score in by_rater.items():
                found.append(
                    {**common, "factor": label, "rater": rater, "kind": "human", "score": score, "turn": turn}
                )
    return found


def core_ratings(labelled: Sequence[Labelled], answers: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """The judge's own factors, for coupling and length."""
    return [
        {
            "conversation": one.name,
            "system": one.system,
            "factor": factor,
            "rater": "judge",
            "kind": "judge",
            "score": score,
            "length": one.words,
        }
        for one in labelled
        if one.name in answers
        for factor, score in answers[one.name]["scores"].items()
        if score is not None and factor not in ("mean", "debate")
    ]


def debate_ratings(labelled: Sequence[Labelled], answers: Mapping[str, Mapping[str, Any]]) -> list[Line]:
    """Return what each role said in each round."""
    return [
        {
            "conversation": one.name,
            "system": one.system,
            "factor": "debate",
            "rater": role,
            "kind": "judge",
            "score": score,
            "round": number,
        }
        for one in labelled
        if one.name in answers
        for number, scores in enumerate(answers[one.name]["rounds"], 1)
        for role, score in scores.items()
    ]
