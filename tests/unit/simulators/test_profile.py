from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from service.domain.completion import Call
from service.errors import InvalidRequest, UpstreamFailed
from service.simulators.profile import Review, SeenTaste, build_profile
from tests.unit.simulators.speaking import SILENT, FakeModel, Line

REVIEWS = (
    Review("Paper Comets (2015)", "Lovely kites. Far better than Zebra Parade!", 5),
    Review("Glass Harvest (2018)", "Too loud for me.", 2),
    Review("Zebra Parade (1988)", "SECRETWORD stripes everywhere.", 5, held_out=True),
    Review("Grey Oven (1999)", "SECRETWORD and dull.", 1, held_out=True),
    Review("Blue Mill (2001)", "SECRETWORD, unrated.", None, held_out=True),
)


def _model(text: str) -> Mapping[str, Any]:
    if "one entry for each" in text:
        return {"preferences": "You enjoy kites. You would love Zebra Parade. You dislike noise."}
    return (
        {"likes": ["kites"], "dislikes": []} if "kites" in text else {"likes": [], "dislikes": ["noise", " "]}
    )


async def test_a_profile_is_made_in_two_steps_and_keeps_what_is_held_out() -> None:
    model = FakeModel(chooser=_model)
    profile = await build_profile(REVIEWS, "movie", model, Call())
    assert profile.seen == (
        SeenTaste("Paper Comets (2015)", ("kites",), ()),
        SeenTaste("Glass Harvest (2018)", (), ("noise",)),
    )
    assert len(model.prompts) == 3
    assert "likes kites" in model.prompts[-1]
    assert "dislikes noise" in model.prompts[-1]
    assert profile.usage.input_tokens == 30
    assert profile.targets == ("Zebra Parade (1988)", "Blue Mill (2001)")
    secrets = ("SECRETWORD", "Zebra", "Oven", "Blue Mill")
    assert not any(secret in prompt for prompt in model.prompts for secret in secrets)
    # A narrative that names a target loses the sentence.
    assert profile.preferences == "You enjoy kites. You dislike noise."
    assert [flag.code for flag in profile.flags] == ["profile_leak"]


async def test_a_review_that_cannot_be_read_is_reported() -> None:
    calls: Iterator[Line] = iter(
        [SILENT, {"likes": [], "dislikes": ["noise"]}, {"preferences": "You dislike noise."}]
    )
    profile = await build_profile(REVIEWS, "movie", FakeModel(chooser=lambda _: next(calls)), Call())
    assert [flag.code for flag in profile.flags] == ["review_unused"]


async def test_without_a_seen_review_there_is_nothing_to_learn() -> None:
    with pytest.raises(InvalidRequest):
        await build_profile(REVIEWS[2:], "movie", FakeModel(), Call())


@pytest.mark.parametrize("failure", [SILENT, UpstreamFailed("gone")])
async def test_without_a_narrative_there_is_no_profile(failure: Any) -> None:
    down = isinstance(failure, Exception)
    model = FakeModel(chooser=lambda text: failure if down or "one entry for each" in text else _model(text))
    with pytest.raises(UpstreamFailed, match="gone" if down else None):
        await build_profile(REVIEWS, "movie", model, Call())
