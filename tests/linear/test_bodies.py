"""No route takes more than linear time for a body, whatever its structure: loops over messages, spans, titles and wishes count."""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.fuzz.harnesses import posted
from tests.linear import pump

SMALL, LARGE = 40_000, 160_000
#: Seconds that the large body may take in any case, and times four small ones beyond that.
QUICK, GROWTH = 0.6, 2.0
#: Seconds after which either is given up.
MOST = 4.0
Body = tuple[str, dict[str, Any]]
ASKED = {"role": "user", "content": "I take Blue Hour."}


def lines(of: Callable[[int], Any], size: int) -> str:
    """As many values of JSON as a text of this size has room for, a line each."""
    found, left, number = [], size * 3 // 4, 0
    while left > 0:
        found.append(json.dumps(of(number)))
        left -= len(found[-1])
        number += 1
    return "\n".join(found)


def imported(text: str) -> Body:
    return "/import", {"text": text}


def audited(log: dict[str, Any]) -> Body:
    return "/simulate/audit", {"logs": [log]}


def talk(number: int, user: str, reply: str = "Yes.") -> list[dict[str, str]]:
    said = [("user", user), ("assistant", reply)] * number
    return [{"role": role, "content": text.replace("%d", str(at))} for at, (role, text) in enumerate(said)]


def call(number: int) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": f"a{number}"}]}


def step(number: int, parent: int | None) -> dict[str, Any]:
    says = (
        {"gen_ai.input.messages": f'[{{"role":"user","content":"q{number}"}}]'}
        if parent is None
        else {"gen_ai.a": 1}
    )
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "parentSpanId": f"s{parent}",
        "name": "",
        "attributes": says,
    }


def given_again(size: int) -> Body:
    """A call that is given what was said but for the last message, each time the same."""
    half = [{"role": "user", "content": "a"}] * (size // 110)
    other = [*half[1:], {"role": "user", "content": "b"}]
    calls = [{"model": "m", "messages": one, "metadata": {"session_id": "s"}} for one in (other, half)]
    return imported("\n".join(map(json.dumps, calls)))


BODIES: dict[str, Callable[[int], Body]] = {
    "columns of a table": lambda n: imported("a," * (n // 2 - 20) + "role,content\nuser,Hi\n"),
    "calls that name no conversation": lambda n: imported(lines(call, n)),
    "calls of one conversation": lambda n: imported(lines(lambda i: {**call(i), "metadata": {"session_id": "s"}}, n)),
    "calls that are given nearly the same": given_again,
    "spans side by side": lambda n: imported(json.dumps([step(i, None) for i in range(n // 190)])),
    "spans in one another": lambda n: imported(json.dumps([step(0, None), *(step(i, i - 1) for i in range(1, n // 130))])),
    "an item with ever more attributes": lambda n: imported(
        json.dumps([{"messages": [{"role": "assistant", "content": "", "items": [{"id": "a", f"k{i}": ""}]} for i in range(n // 90)]}])
    ),
    "cards in one message": lambda n: imported(
        json.dumps([{"messages": [{"role": "assistant", "content": [{"type": "items", "items": ["a"]}] * (n // 45)}]}])
    ),
    "fields that the first row alone has": lambda n: imported(
        lines(lambda i: {"session_id": "a", "role": "user", "content": "", **({} if i else {f"k{j}": None for j in range(900)})}, n)
    ),
    "fields of conversations, each its own": lambda n: imported(
        lines(lambda i: {"messages": [{"role": "user", "content": "a"}], f"k{i}": 1}, n)
    ),
    "messages that may repeat others": lambda n: audited({"messages": talk(n // 120, "Wish %d, a quiet one.")}),
    "wanted items": lambda n: audited(
        {"messages": talk(n // 160, "A film of the year?"), "ground_truth": [f"Film {i} of the Year" for i in range(n // 50)]}
    ),
    "wishes": lambda n: audited({"messages": talk(n // 160, "Some words."), "user": {"attributes": [f"w{i}" for i in range(n // 20 % 1000)]}}),
    "wishes for what was accepted": lambda n: audited(
        {
            "messages": [ASKED, {"role": "assistant", "content": "Blue Hour is good. " * (n // 30)}, ASKED],
            "user": {"attributes": [f"w{i} x" for i in range(1000)]},
            "outcome": {"accepted": True, "message": 2},
        }
    ),
    "wishes of a simulated user": lambda n: (
        "/simulate",
        {
            "simulator": {"type": "scripted"},
            "log": {
                "messages": [ASKED, {"role": "assistant", "content": "Try Blue Hour. " * (n // 30)}],
                "user": {"attributes": [f"w{i} x" for i in range(1000)]},
            },
        },
    ),
    "offers that a simulated user was shown": lambda n: (
        "/simulate",
        {"simulator": {"type": "scripted"}, "log": {"messages": talk(min(900, n // 90), "Is %d good?", 'Try "Film %d", or "Album %d".')}},
    ),
}  # fmt: skip


@cache
def by_path() -> dict[str, Any]:
    return {route.path: route for route in posted().routes}


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_a_body_takes_time_in_proportion_to_its_size(name: str) -> None:
    def seconds(size: int) -> float:
        path, body = BODIES[name](size)
        text = json.dumps(body).encode()
        assert abs(len(text) - size) < size
        return pump._seconds(lambda: answers.add(asyncio.run(posted().ask(by_path()[path], text))[0]), MOST)

    answers: set[int] = set()
    seconds(SMALL // 4)  # what is made at first use is no growth
    # Measured until one measurement clears it: a loaded machine fails nothing.
    measured = []
    for _ in range(4):
        large = seconds(LARGE)
        if large < QUICK:
            break
        measured.append((large, seconds(SMALL)))
        if large < GROWTH * 4 * measured[-1][1] and large < MOST:
            break
    else:
        pytest.fail(f"seconds of {LARGE} and {SMALL} bytes: {measured}")
    assert max(answers) < 500
