"""PEPPER's users: reviews of which some are held out, and a profile of the others."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Any

from ...domain.conversation import UNKNOWN_DOMAIN
from ...importing.entries import Entry
from ...simulators.phrases import joined
from ..exits import CommandError
from ..inputs import Json, present
from ..run import Job
from .sessions import catalogue_of
from .steps import StudyRun

HELD_OUT_SHARE = 0.5
"""Of the highly rated items, where the reviews do not say which are held out."""
MOST_WISHES = 3


@dataclass(frozen=True)
class Reviewer:
    """A user. `targets` are the highly rated held-out items in random order: PEPPER's selected set, then its residual one."""

    id: str
    domain: str
    reviews: Sequence[Json]
    """Each with `held_out`."""
    targets: Sequence[str]
    preferences: str = ""
    wishes: Sequence[str] = ()
    tastes: Sequence[Json] = ()
    """Likes and dislikes by seen item, where a model read them."""

    @property
    def seen(self) -> list[Json]:
        known = (one for one in self.reviews if not one["held_out"])
        return [{"item": one["item"], "review": one["text"]} for one in known]

    @property
    def user(self) -> Json:
        return {"preferences": self.preferences, "seen": self.seen}

    @property
    def known(self) -> Json:
        """Return what the log of a session says and its simulator has not read: the targets, and the taste."""
        return {"ground_truth": list(self.targets), "user": self.user}

    def log(self, **more: Any) -> Json:
        return {"id": self.id, "domain": self.domain, **more, "messages": []}

    @property
    def selected(self) -> Sequence[str]:
        """Return the targets that target-biased users describe."""
        return self.targets[: (len(self.targets) + 1) // 2]


def held_out(entry: Entry, seed: int) -> Reviewer:
    """The user of a line of the reviews' file, some of whose items are held out. Raises CommandError for a line without reviews."""
    value = entry.value
    reviews = value.get("reviews")
    if not isinstance(reviews, list) or len(reviews) < 2 or not all(map(_is_review, reviews)):
        raise CommandError(
            f"{entry.place}: a user of this study is {{id, reviews: [{{item, rating, text}}, ...]}} with two reviews at least."
        )
    name = str(value.get("id") or entry.place)
    items = [review["item"] for review in reviews]
    for item in items:
        if items.count(item) > 1:
            raise CommandError(
                f"{entry.place}: {name!r} has two reviews of {item!r}; keep the one that counts."
            )
    if any(review.get("held_out") is not None for review in reviews):
        kept = [{**review, "held_out": review.get("held_out") is True} for review in reviews]
    else:
        high = [n for n, review in enumerate(reviews) if review["rating"] >= _mean(reviews)]
        random.Random(f"{seed}/{name}").shuffle(high)  # noqa: S311 - a sample, not a secret
        count = min(max(1, round(len(high) * HELD_OUT_SHARE)), len(reviews) - 1)
        kept = [{**review, "held_out": n in high[:count]} for n, review in enumerate(reviews)]
    targets = [one["item"] for one in kept if one["held_out"] and one["rating"] >= _mean(reviews)]
    if not targets or all(one["held_out"] for one in kept):
        raise CommandError(
            f"{entry.place}: of {name!r} no highly rated item is held out, or no other review is left to learn from."
        )
    random.Random(f"{seed}/{name}/targets").shuffle(targets)  # noqa: S311
    return Reviewer(name, str(value.get("domain") or UNKNOWN_DOMAIN), kept, list(dict.fromkeys(targets)))


def _is_review(review: object) -> bool:
    return (
        isinstance(review, dict)
        and isinstance(review.get("item"), str)
        and isinstance(review.get("text"), str)
        and type(review.get("rating")) in {int, float}
        and isinstance(review.get("held_out"), bool | None)
    )


def _mean(reviews: Sequence[Json]) -> float:
    return fmean(review["rating"] for review in reviews)


async def profiles(study: StudyRun, given: Sequence[Reviewer], model: str | None) -> list[Reviewer]:
    """The users with their profiles: by the model, else by the attributes of what they rated highly. Users whose profile
    failed are left out. Raises CommandError where rules find no attributes."""
    if model is None:
        return [_by_rule(study, one) for one in given]
    jobs = []
    for one in given:
        fields = ("item", "rating", "text", "held_out")
        sent = [{name: review[name] for name in fields} for review in one.reviews]
        body = {"reviews": sent, "domain": one.domain, "judge": model, "catalog": study.catalog}
        jobs.append(Job(one.id, None, "/simulate/profile", present(body)))
    records = await study.step("profiles", jobs)
    answered = ((one, record.answer) for one, record in zip(given, records, strict=True))
    return [
        replace(one, preferences=made["preferences"], tastes=made["seen"]) for one, made in answered if made
    ]


def _by_rule(study: StudyRun, one: Reviewer) -> Reviewer:
    catalogue = catalogue_of(study.options.catalog_file)
    liked: Counter[str] = Counter()
    disliked: Counter[str] = Counter()
    for review in one.reviews:
        item = catalogue.match(review["item"]) if catalogue else None
        if item is not None and not review["held_out"]:
            side = liked if review["rating"] >= _mean(one.reviews) else disliked
            side.update(value for values in item.attributes.values() for value in values)
    wishes = [value for value, _ in (liked - disliked).most_common(MOST_WISHES)]
    if not wishes:
        raise CommandError(
            f"{one.id}: without --user-model a taste is made from the attributes of highly rated items: give their "
            "catalogue by --catalog."
        )
    avoids = [value for value, _ in (disliked - liked).most_common(MOST_WISHES)]
    taste = f"You like {joined(wishes)}." + (f" You do not like {joined(avoids)}." if avoids else "")
    return replace(one, preferences=taste, wishes=wishes)


def representations(reviewer: Reviewer) -> Mapping[str, str]:
    """The user's taste in three forms (table 2)."""
    known = "\n".join(f"{one['item']}: {one['review']}" for one in reviewer.seen)
    likes = [word for taste in reviewer.tastes for word in taste["likes"]]
    dislikes = [word for taste in reviewer.tastes for word in taste["dislikes"]]
    both = f"Likes: {', '.join(likes)}. Dislikes: {', '.join(dislikes)}."
    return {"raw reviews": known, "likes and dislikes": both, "preferences": reviewer.preferences}


def rated_pairs(reviewer: Reviewer) -> list[tuple[str, str]]:
    """Held-out items of different ratings, the better first; neighbours in the order of ratings."""
    held = [one for one in reviewer.reviews if one["held_out"]]
    rated = pairwise(sorted(held, key=lambda one: (-one["rating"], one["item"])))
    return [(a["item"], b["item"]) for a, b in rated if a["rating"] > b["rating"]]
