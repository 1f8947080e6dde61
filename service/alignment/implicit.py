"""Behavior Alignment without labels: a trained classifier says whether two replies share a strategy.

The paper fine-tunes BERT-large on pairs (section 5). Here an encoder of 23 MB gives each reply a
distribution over the strategies, and two replies share one with probability `sum p(s) q(s)`,
calibrated on dialogues that it had not seen; `docs/behavior-alignment.md` says how well."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..text.encoding import load_encoder
from ..text.words import sentences
from .pair import Judged, Pair, Reading, Reply
from .strategies import NO_STRATEGY, STRATEGIES, StrategyName
from .utterance import MAX_TOKENS, normalise

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Vector = NDArray[np.floating[Any]]

FOLDER = Path(__file__).parent / "model"
TOLD = 0.1
"""Share from which a strategy beside the likeliest is told."""

MOST_TOLD = 3
KEPT_UTTERANCES = 4096


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
class _Heard:
    """An utterance as the encoder reads it: shares of the strategies, and that of any strategy."""

    shares: Vector
    strategic: float


class PairClassifier:
    """Says whether replies share a strategy. Nothing is loaded before it is first asked; after that
    it may be asked from several threads. An answer depends on its pair alone."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Tokenizer, Calibration] | None = None
        self._known: dict[str, _Heard] = {}

    @property
    def revision(self) -> str:
        """12 hex digits that change with the encoder or its calibration."""
        return str(_manifest(self._folder)["revision"])

    def judge(self, pairs: Sequence[Pair]) -> list[Judged]:
        """What the classifier says of each pair."""
        return [self._judge(pair) for pair in pairs]

    def _judge(self, pair: Pair) -> Judged:
        ours, theirs = (self._heard(reply) if reply else None for reply in (pair.candidate, pair.reference))
        if ours is None or theirs is None:
            silent = "candidate" if ours is None else "reference"
            first, second = (_reading(heard) if heard else None for heard in (ours, theirs))
            return Judged(first, second, None, None, f"The {silent} has no reply in this turn.")
        calibration = self._load()[2]
        table = np.array([[a.shares @ b.shares for b in theirs] for a in ours])
        chances = calibration.probability(table)
        probability = float(chances[0, 0])
        mine, other = _reading(ours), _reading(theirs)
        return Judged(
            candidate=mine,
            reference=other,
            aligned=probability >= 0.5,
            aligned_any=bool(chances.max() >= 0.5),
            rationale=_told(mine, other, probability),
            probability=probability,
        )

    def _heard(self, reply: Reply) -> list[_Heard]:
        """The reply's utterances, the one that counts first: the last with a strategy, or, where none
        has one, that which comes nearest to it; then the others, last first."""
        found = [self._hear(text) for utterance in reply.utterances for text in self._pieces(utterance)]
        last_first = found[::-1]
        with_strategy = [heard for heard in last_first if heard.strategic >= 0.5]
        return with_strategy or sorted(last_first, key=lambda heard: -heard.strategic)[:1]

    def _pieces(self, utterance: str) -> list[str]:
        """The utterance in its spelling for the encoder; sentence by sentence where it is too long."""
        text = normalise(utterance)
        if len(text) < 2 * MAX_TOKENS or len(self._ids(text)) < MAX_TOKENS:
            return [text]
        # The original is cut: normalising joins lines, which end sentences.
        return [normalise(utterance[s.start : s.end]) for s in sentences(utterance)] or [text]

    def _hear(self, text: str) -> _Heard:
        known = self._known.get(text)
        if known is None:
            session, _, calibration = self._load()
            ids = np.array(self._ids(text), dtype=np.int64)
            logits = session.run(None, {"ids": ids})[0].astype(np.float64)
            known = _Heard(calibration.distribution(logits[:-1]), float(1 / (1 + np.exp(-logits[-1]))))
            with self._lock:
                while len(self._known) >= KEPT_UTTERANCES:
                    del self._known[next(iter(self._known))]
                self._known[text] = known
        return known

    def _ids(self, text: str) -> list[int]:
        return self._load()[1].encode(text).ids

    def _load(self) -> "tuple[Any, Tokenizer, Calibration]":
        with self._lock:
            if self._loaded is None:
                encoder = load_encoder(
                    self._folder / "encoder.onnx", self._folder / "tokenizer.json", MAX_TOKENS
                )
                self._loaded = (*encoder, load_calibration(self._folder))
            return self._loaded


def load_calibration(folder: Path = FOLDER) -> Calibration:
    """The numbers in the manifest."""
    numbers = _manifest(folder)["calibration"]
    return Calibration(
        priors=np.array(numbers["priors"]),
        prior_power=numbers["prior_power"],
        temperature=numbers["temperature"],
        knots=np.array(numbers["knots"]),
        chances=np.array(numbers["chances"]),
    )


def _manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text("utf-8"))
    return found


def _reading(heard: Sequence[_Heard]) -> Reading:
    first = heard[0]
    if first.strategic < 0.5:
        return Reading((NO_STRATEGY,), (1 - first.strategic,))
    order = np.argsort(-first.shares, kind="stable")[:MOST_TOLD]
    told = [int(i) for rank, i in enumerate(order) if rank == 0 or first.shares[i] >= TOLD]
    return Reading(
        tuple(STRATEGIES[i].slug for i in told),
        tuple(float(first.shares[i]) for i in told),
    )


def _told(candidate: Reading, reference: Reading, probability: float) -> str:
    return (
        f"The candidate reads as {_listed(candidate)}, the reference as {_listed(reference)}: "
        f"a shared strategy has a probability of {probability:.2f}."
    )


def _listed(reading: Reading) -> str:
    shares = reading.shares or ()
    return " or ".join(
        f"{_spoken(name)} ({share:.2f})" for name, share in zip(reading.strategies, shares, strict=True)
    )


def _spoken(name: StrategyName) -> str:
    return name.value.replace("_", " ")
