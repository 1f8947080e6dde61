"""User messages that are owed a reply, and those that got none."""

import pytest

from service.domain.conversation import ConversationLog, Message, Outcome, Role
from service.domain.parts import ImagePart
from service.text.negation import rules_out
from service.text.unanswered import answered_share, asks, unanswered_runs
from tests.factories import talk


def says(text: str) -> Message:
    return Message(Role.USER, text)


@pytest.mark.parametrize(
    "text",
    [
        "Which of them is waterproof?",
        "a tent for three people",
        "Thanks, but is there a lighter one",
        "Ich suche ein Zelt",
        "テントを探しています",
        "Not the green one.",
        "yes",
        "hello",
        "that looks too heavy",
    ],
)
def test_requests_are_owed_a_reply(text: str) -> None:
    assert asks(says(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thanks!",
        "Okay, great. Have a nice weekend!",
        "No, that's all.",
        "Perfect, I\u2019ll take the small one. Thanks a lot",
        "You, too.",
        "Vielen Dank, tschüss",
        "谢谢\uff01",
        "Never mind, I'll look elsewhere. Goodbye.",
        "Thanks, I'd like to think about it.",
        "👍",
    ],
)
def test_thanks_and_goodbyes_are_not(text: str) -> None:
    assert not asks(says(text))


def test_a_picture_asks_and_answers() -> None:
    assert asks(Message(Role.USER, "", parts=(ImagePart(alt="a torn tent"),)))
    shown = Message(Role.ASSISTANT, "", parts=(ImagePart(alt="a tent"),))
    assert not [*unanswered_runs(ConversationLog((says("Show me one"), shown)))]


@pytest.mark.parametrize(
    ("conversation", "runs"),
    [
        (talk("u: Any tents?", "a: Two of them."), []),
        (talk("u: Any tents?", "u: Hello?"), [(0, 1)]),
        (talk("u: Any tents?", "u: For two", "a: This one."), []),
        (talk("u: Any tents?", "a: This one.", "u: Thanks!"), []),
        (talk("u: Any tents?", "a: This one.", "u: Its price?", "u: Thanks!"), [(2, 3)]),
        (talk("u: Any tents?", "a: ", "u: Anyone?", "a: Yes, this one."), [(0,)]),
        (talk("u: Any tents?", "a: ", "a: This one."), []),
        (talk("u: Any tents?", "a: ..."), [(0,)]),
        (talk("u: Any tents?", "t: {}"), [(0,)]),
        (talk("u: Any tents?", complete=False), []),
        (talk("u: Any tents?", "a: ", "u: Anyone?", complete=False), [(0,)]),
        (talk("u: Any?", "a: This.", "u: That tent it is", outcome=Outcome(True, 2)), []),
        (talk("u: Any?", "a: This.", "u: That tent it is", outcome=Outcome(True)), []),
        (talk("u: Any?", "a: This.", "u: Not that. Show me another", outcome=Outcome(False)), [(2,)]),
        (talk("a: Welcome!"), []),
    ],
)
def test_runs_without_a_reply(conversation: ConversationLog, runs: list[tuple[int, ...]]) -> None:
    assert [*unanswered_runs(conversation)] == runs


def test_the_share_counts_each_request() -> None:
    assert answered_share(talk("u: Any tents?", "a: This.", "u: Price?", "u: Weight?", "a: 2 kg.")) == 2 / 3
    assert answered_share(talk("u: Thanks!")) is None


OUT = """
A film for tonight, anything but {}.
I like everything except {}
We're fed up with {}.
My sister can't watch {}.
A comedy rather than {} tonight
The kids are not into {}.
Skip the {}.
A {}-free evening, please?
please, absolutely no {}
no more {} for me
we never do {}
{} is off the table
{} isn't our thing
I can't stand {}
not in the mood for {} today
something without any {}
leave out the {}
I've had enough of {}
no war, no {}
I'd prefer not to see {}
{} gives my dad nightmares
neither war nor {}
steer clear of {} please
she despises {}
I am not really a fan of {}
""".strip().splitlines()

IN = """
a {} film please
not only {}
why not {}?
I wouldn't mind {}
nothing against {}
nothing but {}
I can't get enough of {}
No, {}
not a drama, rather a {}
I don't like comedies but I love {}
don't you have any {}?
not too long, {}
I haven't seen {} in ages
I'm tired of action, give me {}
no idea, maybe {}
we never get bored of {}
I don't like war films. {} then
a comedy is too tame so {}
{} without gore
I'm not picky, {} is fine
It doesn't seem to be {}
""".strip().splitlines()


@pytest.mark.parametrize(("wording", "out"), [*((one, True) for one in OUT), *((one, False) for one in IN)])
def test_a_wording_rules_a_value_out_or_leaves_it_in(wording: str, out: bool) -> None:
    for value in ("horror", "peanut butter"):
        start = wording.index("{}")
        assert rules_out(wording.format(value), start, start + len(value)) is out
