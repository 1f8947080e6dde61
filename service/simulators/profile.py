"""A user's profile from its reviews: likes and dislikes by item, then one narrative (PEPPER)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ..catalogue.catalogue import Catalogue
from ..domain.completion import NO_USAGE, Call, ChatMessage, Usage
from ..domain.verdict import Flag
from ..errors import InvalidRequest, UpstreamFailed
from ..prompts import neutralise, one_line, render
from ..text.words import split_year
from .asker import Answered, Asker, prompt
from .form import Form
from .guard import names, remove_leaks
from .phrases import joined, style_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A review that the user wrote."""

    item: Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]
    rating: float | None = None
    """On any scale, higher is better."""
    text: str
    held_out: bool | None = None
    """True to keep it from the simulated user: neither text nor item reaches a prompt."""


@dataclass(frozen=True, slots=True)
class ItemTaste:
    """The user's likes and dislikes about an item that it has seen."""

    item: str
    likes: tuple[str, ...]
    dislikes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A user for the `target-free` simulator: what it has seen, its general preferences as a
    second-person narrative, and the items that a recommender should find for it."""

    seen: tuple[ItemTaste, ...]
    preferences: str
    targets: tuple[str, ...]
    flags: tuple[Flag, ...] = ()
    usage: Usage = NO_USAGE
    model: str | None = None


class _Taste(Form):
    likes: list[str]
    dislikes: list[str]


class _Narrative(Form):
    preferences: str


async def build_profile(
    reviews: Sequence[Review], domain: str, asker: Asker, call: Call, catalogue: Catalogue | None = None
) -> Profile:
    """A profile in two steps: likes and dislikes of each seen review, then the narrative. What `catalogue` knows of a
    seen item (genre, director, ...) stands beside its review and its likes.

    Targets are the held-out items that the user rated highly: at or above the mean of all its
    ratings, or without a rating (**choice**: the paper says "highly rated"). A sentence of a seen
    review that names a held-out item is left out of the prompts. Raises InvalidRequest without a
    seen review, UpstreamFailed where the model gives no usable narrative."""
    seen = [review for review in reviews if not review.held_out and review.text.strip()]
    if not seen:
        fix = "send at least one review with a text and without `held_out`"
        raise InvalidRequest.at("/reviews", "there are no reviews to learn from", fix)
    secret = tuple(split_year(review.item)[0] for review in reviews if review.held_out)
    about = [_about(review, secret, catalogue) for review in seen]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_taste(review, known, secret, asker, call))
                for review, known in zip(seen, about, strict=True)
            ]
    except ExceptionGroup as failures:
        # One model for all of them: what stopped one says enough, and it is what a caller can read.
        raise failures.exceptions[0] from failures
    tastes = [task.result() for task in tasks]
    known = tuple(taste for taste, _, _ in tastes)
    usage = sum((used for _, used, _ in tastes), NO_USAGE)
    flags = tuple(flag for _, _, raised in tastes for flag in raised)
    notes = "\n".join(
        f"<entry>{_note(taste, facts)}</entry>"
        for taste, facts in zip(known, about, strict=True)
        if taste.likes or taste.dislikes
    )
    if not notes:
        raise UpstreamFailed(
            "The model found neither likes nor dislikes in the reviews, so there is no profile."
        )
    text = render(prompt("narrative"), plural=style_of(domain).plural, notes=notes)
    answer = await asker.ask([ChatMessage("user", text)], _Narrative, call)
    if not isinstance(answer, Answered) or not answer.value.preferences:
        raise UpstreamFailed("The model gave no usable narrative of the user's preferences.")
    narrative, leaks = remove_leaks(answer.value.preferences, secret)
    if leaks:
        flags += (
            Flag("profile_leak", "a sentence that named a held-out item was taken out of the narrative"),
        )
    return Profile(known, narrative, _targets(reviews), flags, usage + answer.usage, answer.model)


def _about(review: Review, secret: Sequence[str], catalogue: Catalogue | None) -> str:
    """A reviewed item's attributes on one line, without any that names a held-out item; empty where none are known."""
    item = catalogue.match(review.item) if catalogue else None
    parts = []
    for dimension, values in item.attributes.items() if item else ():
        kept = [value for value in values if not any(names(title, value) for title in secret)]
        if kept:
            parts.append(f"{one_line(dimension)}: {one_line(', '.join(kept))}")
    return "; ".join(parts)


async def _taste(
    review: Review, about: str, secret: Sequence[str], asker: Asker, call: Call
) -> tuple[ItemTaste, Usage, tuple[Flag, ...]]:
    said, _ = remove_leaks(review.text, secret)
    shown = review.item if not any(names(title, review.item) for title in secret) else "an item"
    if not said:
        flag = Flag("review_unused", f"the review of {review.item!r} is only about held-out items")
        return ItemTaste(review.item, (), ()), NO_USAGE, (flag,)
    known = f"Known of it: {about}\n" if about else ""
    text = render(prompt("review"), item=one_line(shown), known=known, text=neutralise(said))
    answer = await asker.ask([ChatMessage("user", text)], _Taste, call)
    if not isinstance(answer, Answered):
        flag = Flag("review_unused", f"no likes and dislikes were had from the review of {review.item!r}")
        return ItemTaste(review.item, (), ()), answer.usage, (flag,)
    likes = tuple(word for word in answer.value.likes if word.strip())
    dislikes = tuple(word for word in answer.value.dislikes if word.strip())
    return ItemTaste(review.item, likes, dislikes), answer.usage, ()


def _note(taste: ItemTaste, about: str) -> str:
    parts = [about] if about else []
    parts += [f"likes {joined(taste.likes)}"] if taste.likes else []
    parts += [f"dislikes {joined(taste.dislikes)}"] if taste.dislikes else []
    return neutralise("; ".join(parts))


def _targets(reviews: Sequence[Review]) -> tuple[str, ...]:
    ratings = [review.rating for review in reviews if review.rating is not None]
    bar = sum(ratings) / len(ratings) if ratings else 0.0
    held_out = [review for review in reviews if review.held_out]
    return tuple(dict.fromkeys(r.item for r in held_out if r.rating is None or r.rating >= bar))
