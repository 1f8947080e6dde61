"""Behavior Alignment without labels: a trained classifier says whether two replies share a strategy.

The paper fine-tunes BERT-large on pairs (section 5). Here the service's own encoder gives each reply a distribution over the
strategies. Two replies share one with probability `sum p(s) q(s)`, calibrated on dialogues that it had not seen;
`docs/behavior-alignment.md` says how well."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..encoder.encoder import strategies
from ..text.words import sentences
from .pair import Judged, Pair, Reply, StrategyFinding, compare
from .strategies import NO_STRATEGY, STRATEGIES

Vector = NDArray[np.floating[Any]]

FOLDER = Path(__file__).parent / "model"
LEAST_SHARE = 0.1
"""Least share of a strategy that is named beside the likeliest."""

MOST_NAMED = 3
MAX_TOKENS = 64
"""Word pieces of an utterance that the encoder reads, its two marks included."""

# UTF-8 that was read as Windows-1252, and a lost apostrophe; both are common in exported chat logs.
_MOJIBAKE = re.compile("[\u00c2\u00c3][\u0080-\u00bf]|\u00e2[\u0080\u20ac]")
_LOST_APOSTROPHE = re.compile("(?<=[^\\W\\d_])\ufffd+(?=[^\\W\\d_])")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u2026": "..."}
)
_MARK = re.compile(r"QUOTATION_MARK")
_YEAR = re.compile(r"\s{0,9}[(\[]\s{0,9}(?:18|19|20)\d\d\s{0,9}[)\]]")
_MENTION = re.compile(r"@\d{2,}")


def normalise(text: str) -> str:
    """One line in lower case: mojibake mended, quotes straight, years behind titles gone, ReDial's
    `@12345` read as a title. Empty for a text without a visible character."""
    if _MOJIBAKE.search(text):
        text = _mended(text)
    text = _LOST_APOSTROPHE.sub("'", text).replace("\ufffd", " ")
    text = _MARK.sub('"', text.translate(_QUOTES))
    text = _MENTION.sub("that movie", _YEAR.sub("", text))
    return " ".join(text.lower().split())


def _mended(text: str) -> str:
    for wrong in ("cp1252", "latin-1"):
        try:
            return text.encode(wrong).decode("utf-8")
        except UnicodeError:
            continue
    return text


@dataclass(frozen=True)
class Calibration:
    """Numbers learnt beside the encoder. `priors` are the strategies' shares in the training data:
    dividing by their power `prior_power` makes the mix of another system's strategies matter less.
    `chances` are the probabilities of a shared strategy where the log odds of the sum are `knots`;
    between them it changes in a straight line, and never falls."""

    priors: Vector
    prior_power: float
    temperature: float
    knots: Vector
    chances: Vector

    def distribution(self, logits: Vector) -> Vector:
        """Shares of the strategies from an utterance's logits (or rows of them)."""
        adjusted = logits / self.temperature - self.prior_power * np.log(self.priors)
        raised = np.exp(adjusted - adjusted.max(axis=-1, keepdims=True))
        result: Vector = raised / raised.sum(axis=-1, keepdims=True)
        return result

    def probability(self, shared: Vector) -> Vector:
        """Probability of a shared strategy, at even odds, from `sum p(s) q(s)`."""
        result: Vector = np.interp(log_odds(shared), self.knots, self.chances)
        return result


def log_odds(shares: Vector) -> Vector:
    """Log odds, kept finite."""
    inside = np.clip(shares, 1e-9, 1 - 1e-9)
    result: Vector = np.log(inside) - np.log1p(-inside)
    return result


@dataclass(frozen=True, slots=True)
class _Prediction:
    """The prediction for an utterance: shares of the strategies, and the share of any strategy."""

    shares: Vector
    strategic: float


def judge(pairs: Sequence[Pair]) -> list[Judged]:
    """Say whether the replies of each pair share a strategy. An answer depends on its pair alone."""
    sides = [(_pieces(pair.candidate), _pieces(pair.reference)) for pair in pairs]
    predictions = _predict(sorted({text for pair in sides for side in pair for text in side or ()}))

    def read(side: list[str] | None) -> list[_Prediction] | None:
        return None if side is None else _first([predictions[text] for text in side])

    return [_judge(read(ours), read(theirs)) for ours, theirs in sides]


def _judge(ours: list[_Prediction] | None, theirs: list[_Prediction] | None) -> Judged:
    if ours is None or theirs is None:
        return compare(*(_finding(one) if one else None for one in (ours, theirs)))
    chances = load_calibration().probability(np.array([[a.shares @ b.shares for b in theirs] for a in ours]))
    probability = float(chances[0, 0])
    mine, other = _finding(ours), _finding(theirs)
    return Judged(
        candidate=mine,
        reference=other,
        aligned=probability >= 0.5,
        aligned_any=bool(chances.max() >= 0.5),
        rationale=_rationale(mine, other, probability),
        probability=probability,
    )


def _pieces(reply: Reply | None) -> list[str] | None:
    """The reply's utterances in their spelling for the encoder; long ones sentence by sentence."""
    return [text for utterance in reply.utterances for text in _cut(utterance)] if reply else None


def _cut(utterance: str) -> list[str]:
    text = normalise(utterance)
    if len(text) < 2 * MAX_TOKENS or len(strategies().pieces(text)) < MAX_TOKENS:
        return [text]
    # The original is cut: normalising joins lines, which end sentences.
    return [normalise(utterance[s.start : s.end]) for s in sentences(utterance)] or [text]


def _predict(texts: Sequence[str]) -> dict[str, _Prediction]:
    """Predict the strategies of texts, encoded together."""
    if not texts:
        return {}
    weight, bias = strategies().head("head")
    logits = (strategies().encode(texts) @ weight + bias).astype(np.float64)
    shares = load_calibration().distribution(logits[:, :-1])
    return {
        # Of a text without a word the encoder knows nothing.
        text: _Prediction(row, float(strategic) * any(map(str.isalnum, text)))
        for text, row, strategic in zip(texts, shares, 1 / (1 + np.exp(-logits[:, -1])), strict=True)
    }


def _first(predictions: Sequence[_Prediction]) -> list[_Prediction]:
    """A reply's utterances, the one that counts first: the last with a strategy, or, where none
    has one, that which comes nearest to it; then the others, last first."""
    last_first = predictions[::-1]
    with_strategy = [one for one in last_first if one.strategic >= 0.5]
    return with_strategy or sorted(last_first, key=lambda one: -one.strategic)[:1]


def revision() -> str:
    """12 hex digits that change with the encoder or its calibration."""
    return str(_manifest()["revision"])


@cache
def load_calibration() -> Calibration:
    """The numbers in the manifest."""
    numbers: dict[str, Any] = _manifest()["calibration"]
    arrays = {name: np.array(numbers[name]) for name in ("priors", "knots", "chances")}
    return Calibration(**numbers | arrays)


def _manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
    return found


def _finding(predictions: Sequence[_Prediction]) -> StrategyFinding:
    first = predictions[0]
    if first.strategic < 0.5:
        return StrategyFinding((NO_STRATEGY,), (1 - first.strategic,))
    order = np.argsort(-first.shares, kind="stable")[:MOST_NAMED]
    likely = [int(i) for rank, i in enumerate(order) if rank == 0 or first.shares[i] >= LEAST_SHARE]
    return StrategyFinding(
        tuple(STRATEGIES[i].slug for i in likely), tuple(float(first.shares[i]) for i in likely)
    )


def _rationale(candidate: StrategyFinding, reference: StrategyFinding, probability: float) -> str:
    return (
        f"The candidate reads as {_listed(candidate)}, the reference as {_listed(reference)}: "
        f"a shared strategy has a probability of {probability:.2f}."
    )


def _listed(finding: StrategyFinding) -> str:
    shares = finding.shares or ()
    return " or ".join(
        f"{name.value.replace('_', ' ')} ({share:.2f})"
        for name, share in zip(finding.strategies, shares, strict=True)
    )
