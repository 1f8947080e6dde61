"""Short ways to write pairs."""

from service.alignment.pair import Pair, Reply
from service.alignment.strategies import StrategyName as S


def labelled(
    candidate: S | tuple[S, ...],
    reference: S | tuple[S, ...],
    dialogue: str | None = "d",
    turn: int | None = 2,
) -> Pair:
    """A pair of replies with these labels, one utterance for each."""
    sides = [
        Reply(tuple(f"says {label.value}" for label in labels), labels)
        for labels in (
            (candidate,) if isinstance(candidate, S) else candidate,
            (reference,) if isinstance(reference, S) else reference,
        )
    ]
    return Pair(sides[0], sides[1], dialogue, turn)


def said(candidate: str, reference: str, dialogue: str | None = None, turn: int | None = None) -> Pair:
    """A pair of replies without labels."""
    return Pair(Reply((candidate,)), Reply((reference,)), dialogue, turn)
