import re

from hypothesis import given
from hypothesis import strategies as st

from service.domain.conversation import ConversationLog, Message, Role
from service.judges.llm.log_text import GOES_ON, render_log

roles = st.sampled_from([Role.USER, Role.ASSISTANT])
hostile = st.text(alphabet=st.sampled_from(list("<>/log[]0123 :user\n\r\u2028\x0b")), max_size=40)


def test_history_and_interaction_are_apart_and_numbered() -> None:
    log = ConversationLog(
        messages=(Message(Role.USER, "Two\nlines"), Message(Role.ASSISTANT, "Yes?")),
        history=(Message(Role.ASSISTANT, "Hi"),),
    )
    assert render_log(log).splitlines() == [
        "<log>",
        "History",
        "[h0] recommender: Hi",
        "Interaction",
        "[0] user: Two",
        "    lines",
        "[1] recommender: Yes?",
        "</log>",
    ]


def test_a_live_log_says_that_it_goes_on() -> None:
    assert GOES_ON in render_log(ConversationLog(messages=(Message(Role.USER, "Hi"),), complete=False))


@given(st.lists(st.tuples(roles, hostile), min_size=1, max_size=6))
def test_no_message_can_forge_another_or_end_the_log(messages: list[tuple[Role, str]]) -> None:
    text = render_log(ConversationLog(messages=tuple(Message(role, content) for role, content in messages)))
    assert text.count("<log>") == text.count("</log>") == 1
    assert text.endswith("\n</log>")
    begun = re.findall(r"^\[(\w+)\] (user|recommender):", text, re.MULTILINE)
    assert begun == [
        (str(index), "user" if role is Role.USER else "recommender")
        for index, (role, _) in enumerate(messages)
    ]
    assert [line for line in text.splitlines() if line == "Interaction"] == ["Interaction"]
