"""A judgement says when it was made."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from service.live.scoring import NotScored
from service.live.verdicts import Judging
from service.store.conversations.protocol import Due

CLAIMED = datetime(2026, 1, 5, 12, tzinfo=UTC)
SECONDS = 0.2


class _Slow:
    async def score(self, _: Any) -> Any:
        await asyncio.sleep(SECONDS)
        raise NotScored("timeout")


async def test_a_conversation_is_judged_when_its_verdicts_are_there() -> None:
    at = CLAIMED.timestamp()
    message = json.dumps({"role": "user", "content": "hello"})
    due = Due("c1", 1, 1, 1, 1, True, 60.0, at, at, at, {}, [message])
    result = (await Judging(_Slow(), ["coherence"], 100).judge(due)).result  # type: ignore[arg-type]
    assert result.last_at == CLAIMED
    assert result.judged_at >= CLAIMED + timedelta(seconds=SECONDS)
