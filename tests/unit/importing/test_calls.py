"""Calls of a model and traces as conversations: brought together, each message once."""

from typing import Any

from tests.unit.importing.importing import SAID, read_values, said_in


def call(*said: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A call that is given all but the last, and answers that."""
    *given, last = [{"role": role, "content": text} for role, text in said]
    return {
        "request": {"model": "m", "messages": given},
        "response": {"choices": [{"message": last}]},
        **more,
    }


def test_calls_without_a_name_go_on_with_the_talk_that_they_are_given() -> None:
    other = [("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"), ("assistant", "Bye!")]
    found = read_values(call(*SAID[:2]), call(*other[:2]), call(*SAID), call(*other))
    assert [said_in(one) for one in found.made] == [SAID, other]


def test_the_same_first_words_are_two_conversations() -> None:
    found = read_values(call(*SAID[:2]), call(*SAID[:2]), call(*SAID))
    assert sorted(len(one.log["messages"]) for one in found.made) == [2, 4]


def test_calls_of_a_name_are_one_conversation_though_each_is_given_what_is_new() -> None:
    found = read_values(*(call(*SAID[at : at + 2], session_id="s") for at in (0, 2)))
    assert said_in(found.one) == SAID
    assert found.one.log["id"] == "s"


def test_a_tracker_is_a_log_for_each_session() -> None:
    def session(at: int) -> list[dict[str, Any]]:
        said = [
            {"event": "user", "text": f"Hi {at}", "timestamp": at},
            {"event": "bot", "text": "Hello", "timestamp": at},
        ]
        return [{"event": "session_started", "timestamp": at}, *said]

    found = read_values({"sender_id": "u", "events": [*session(1), *session(2)]})
    assert [one.log["id"] for one in found.made] == ["u-1", "u-2"]
