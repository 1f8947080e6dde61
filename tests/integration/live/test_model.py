"""A model judges a sample beside the embedded judge: within its budget, and its failures leave the rest as it is."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from service.errors import ConfigurationError
from service.live_app import build_live
from service.settings import Settings
from service.store.conversations.protocol import ClaimedConversation
from service.usecases.wire.calibration import CalibrationMap
from tests.api.test_calibrations import map_of
from tests.factories import in_turns
from tests.provider.behaviours import Status
from tests.provider.server import ProviderServer

pytestmark = pytest.mark.slow


def due(name: str, *texts: str) -> ClaimedConversation:
    messages = [json.dumps(said) for said in in_turns(*texts)]
    return ClaimedConversation(
        name, 1, 1, 1, 1, True, 60.0, 0.0, 0.0, 0.0, {"system": '{"system": "shop"}'}, messages
    )


def settings(folder: Path, provider: ProviderServer, **more: str) -> Settings:
    given = {
        "UPSTREAM_LOCAL": provider.openai_url,
        "LIVE_STATE": str(folder / "open.db"),
        "LIVE_FACTORS": "coherence",
        "LIVE_MODEL": "local:small",
        **more,
    }
    return Settings.from_environment({f"CRS_EVAL_{name}": value for name, value in given.items()})


async def results(wanted: Settings, dues: Sequence[ClaimedConversation]) -> list[Any]:
    live = build_live(wanted)
    try:
        return [(await live.worker._judging.judge(one)).result for one in dues]
    finally:
        await live.aclose()


GOOD = (
    "I would like a slow drama, something like The Glass Orchard.",
    "Have you seen Paper Lanterns? It is a quiet drama about two sisters, slow and warm.",
    "That sounds great, I'll watch it tonight. Thanks!",
    "Enjoy it!",
)


async def test_the_budget_holds_and_the_mean_stays_that_of_the_judge_of_all(
    tmp_path: Path, provider: ProviderServer
) -> None:
    wanted = settings(tmp_path, provider, LIVE_SAMPLE="1", LIVE_MODEL_BUDGET="1")
    first, second = await results(wanted, [due("a", *GOOD), due("b", *GOOD)])
    assert (first.model, first.model_reasons) == ("judged", ["sample"])
    assert [verdict.judge for verdict in first.verdicts] == ["builtin", "local:small"]
    assert second.model == "over_budget"
    assert [verdict.judge for verdict in second.verdicts] == ["builtin"]
    assert first.mean == second.mean == pytest.approx(second.verdicts[0].share)


async def test_one_without_a_reason_is_left_out_and_a_model_that_fails_is_told(
    tmp_path: Path, provider: ProviderServer
) -> None:
    provider.behave(*[Status(400)] * 9)
    angry = due("b", *GOOD, "You are not listening to me, this is useless.", "Sorry.")
    left, failed = await results(settings(tmp_path, provider), [due("a", *GOOD), angry])
    assert (left.model, left.model_reasons) == ("left_out", [])
    assert failed.model == "failed"
    assert "complaint" in failed.model_reasons
    assert failed.failure is None


async def test_no_answer_of_the_model_is_cached(tmp_path: Path, provider: ProviderServer) -> None:
    """A cache would hold what a model quoted of a conversation that is deleted."""
    live = build_live(settings(tmp_path, provider, LIVE_SAMPLE="1"))
    try:
        before = provider.calls
        for _ in range(2):
            await live.worker._judging.judge(due("a", *GOOD))
        assert provider.calls == before + 2
    finally:
        await live.aclose()


async def test_scores_are_put_on_peoples_scale_by_the_map_of_a_calibration(
    tmp_path: Path, provider: ProviderServer
) -> None:
    [plain] = await results(settings(tmp_path, provider), [due("a", *GOOD)])
    before = plain.verdicts[0]
    folder = tmp_path / "calibrations"
    folder.mkdir()
    for name, revision in (("shop", before.evaluator_revision), ("old", "another")):
        made = CalibrationMap.of(map_of("coherence", revision)).model_dump(mode="json")
        (folder / f"{name}.json").write_text(json.dumps({"maps": [made]}))
    given = {"CALIBRATIONS": str(folder), "LIVE_SAMPLE": "1"}
    [result] = await results(
        settings(tmp_path, provider, LIVE_CALIBRATION="shop", **given), [due("b", *GOOD)]
    )
    [own, model] = result.verdicts
    # The line of the map: 0 of 4 is 1 of people's 1 to 5, 4 of 4 is 3.
    assert own.calibrated == pytest.approx((1 + own.score / 2 - 1) / 4)
    assert (own.score, model.calibrated) == (before.score, None)
    [result] = await results(settings(tmp_path, provider, LIVE_CALIBRATION="old", **given), [due("c", *GOOD)])
    assert result.verdicts[0].calibrated is None


async def test_wrong_names_are_refused_at_the_start(tmp_path: Path, provider: ProviderServer) -> None:
    # Each has its own file: what was refused holds it until it is collected, or its process ends.
    for number, judge in enumerate(("nobody:x", "builtin")):
        (other := tmp_path / str(number)).mkdir()
        with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_MODEL"):
            build_live(settings(other, provider, LIVE_MODEL=judge))
    (other := tmp_path / "other").mkdir()
    with pytest.raises(ConfigurationError, match="CRS_EVAL_LIVE_CALIBRATION"):
        build_live(settings(other, provider, LIVE_CALIBRATION="nothing"))
