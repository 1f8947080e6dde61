from collections.abc import AsyncGenerator

from service.api.streams import ServerSentEvent, _ending_in_problem


async def test_who_leaves_a_stream_ends_the_work_behind_it_at_once() -> None:
    ended = []

    async def work() -> AsyncGenerator[ServerSentEvent, None]:
        try:
            yield ServerSentEvent("first", {})
            yield ServerSentEvent("second", {})
        finally:
            ended.append(True)

    events = _ending_in_problem(work(), "r1")
    assert (await anext(events)).name == "first"
    await events.aclose()
    assert ended
