"""Evidence for and against a reply's place in its conversation: the numbers that the head of belonging reads.

Cosines, shared rarer words, questions, lengths and the place in the conversation hold in any domain; products of
vectors did not help on families that the head had not seen. The user's next turn counts where there is one: people
react to what was said."""

from collections.abc import Sequence

import numpy as np

from .layers import Floats
from .turns import Turn, rareness, unit

#: Turns before a reply that make its context.
CONTEXT = 4
#: A sum of rareness from which more tells nothing new, and the number of rarer pieces that counts as two lengths.
_MUCH, _LONG = 3.0, 40
#: The scales of cosines and of the reply's vector at its place: the larger, the less their weights are restrained.
_NEAR, _PLACED = 2.0, 0.065
_TINY = 1e-6
_NOTHING: frozenset[int] = frozenset()


def evidence(before: Sequence[Turn], reply: Turn, after: Turn | None = None) -> Floats:
    """Return one row of numbers for a reply. `before` holds the turns before it, one at least, `after` the user's next
    turn where there is one."""
    told = reply.vector
    reaction = after.vector if after else np.zeros_like(told)
    context = unit(np.mean([turn.vector for turn in before[-CONTEXT:]], axis=0))
    early = (len(before) <= 1, 2 <= len(before) <= 3, len(before) > 6)
    near = [_NEAR * value for value in _near(before, reply, context, reaction)]
    plain = np.array([*near, *_shared_words(before, reply, after), *_manner(before, reply, after)])
    here = [told * (_PLACED * np.sqrt(len(told)) * held) for held in early]
    return np.concatenate([plain, *here]).astype(np.float32)


def _near(before: Sequence[Turn], reply: Turn, context: Floats, reaction: Floats) -> list[float]:
    """Cosines of the reply with the request, with what each side said, with the context, and with the reaction."""
    user = [turn.vector for turn in before if turn.is_user]
    own = [turn.vector for turn in before if not turn.is_user]
    found = [float(before[-1].vector @ reply.vector)]
    for side in (user, own):
        cosines = [float(vector @ reply.vector) for vector in side] or [0.0]
        found += [max(cosines), sum(cosines) / len(cosines)]
    reacts = float(reaction @ reply.vector)
    return [
        *found,
        float(own[-1] @ reply.vector) if own else 0.0,
        float(context @ reply.vector),
        reacts,
        reacts - float(reaction @ before[-1].vector),
        reacts - float(reaction @ context),
    ]


def _shared_words(before: Sequence[Turn], reply: Turn, after: Turn | None) -> list[float]:
    """Rarer pieces that the reply shares with what was said before it, and the next turn with the reply."""
    request = before[-1].pieces
    user, own = (_NOTHING.union(*(t.pieces for t in before if t.is_user is side)) for side in (True, False))
    reaction = after.pieces if after else _NOTHING
    return [
        *_shared(reply.pieces, request),
        *_shared(request, reply.pieces),
        *_shared(reply.pieces, user),
        *_shared(reply.pieces, own),
        *_shared(reply.pieces, reaction - request),
        *_shared(reaction, reply.pieces),
        *_shared(reaction - user - own, reply.pieces),
    ]


def _shared(ours: frozenset[int], theirs: frozenset[int]) -> tuple[float, float, float]:
    """Of the rareness in our pieces: the share that is theirs too, its greatest, and its sum."""
    total = sum(sorted(rareness(piece) for piece in ours))
    both = sorted(rareness(piece) for piece in ours & theirs)
    return sum(both) / max(total, _TINY), max(both, default=0.0), min(sum(both), _MUCH) / _MUCH


def _manner(before: Sequence[Turn], reply: Turn, after: Turn | None) -> list[float]:
    """Questions and their answers, lengths, the place in the conversation, and a reply said before."""
    asked, asks, first = before[-1].asks, reply.asks, len(before) == 1
    own = [turn for turn in before if not turn.is_user]
    length, wanted = _length(reply), _length(before[-1])
    usual = sum(map(_length, own)) / len(own) if own else 0.5
    return [
        float(asked), float(asks), float(asked and asks), float(asked and not asks), float(asks and not asked),
        float(after is not None), float(after is not None and after.asks),
        float(after is not None and after.asks and asks),
        float(bool(own) and own[-1].asks and asks), float(reply.text in {turn.text for turn in own}),
        float(first), float(first and asks), length * first, min(len(before), 12) / 6,
        length, wanted, length * wanted, abs(length - usual),
    ]  # fmt: skip


def _length(turn: Turn) -> float:
    return min(len(turn.pieces), _LONG) / (_LONG / 2)
