"""Nothing that reads a text takes more than linear time: loops around patterns count as well."""

import random
from collections.abc import Callable

import pytest

from service.alignment import implicit
from service.catalogue import kinds, title_guesses, titles
from service.catalogue.catalogue import Catalogue
from service.domain.conversation import ConversationLog, Item, Message, Role
from service.domain.parts import ToolResult
from service.grounding import money
from service.grounding.grounding import Grounding
from service.judges.computed.texts import text_faults
from service.judges.computed.wording import wording_faults
from service.llm.answer_text import objects_in
from service.prompt_injection import detection, disguises
from service.prompts.hostile import neutralise
from service.text import acts, feelings, language, unanswered, words
from tests.linear import pump
from tests.linear.discovery import found

SHELF = Catalogue.of(
    [Item("Copper Canyon (1950)"), Item("A B C"), Item("The Long Way: Home (2004)"), Item("It (2017)")]
)
SHELF_OF_JACKETS = Catalogue.of(
    [Item("A Coat", "a", {"colour": ("blue",)}, price=1.0), Item("Comedy", "b", {"genre": ("comedy",)})]
)


def grounded(text: str) -> object:
    """All that is found in a text that a user, a tool and the recommender say."""
    record = '[{"title": "A Coat", "price": 1, "lift": "no"}, {"title": "a", "price": 2}]'
    log = ConversationLog(
        (
            Message(Role.USER, text),
            Message(Role.TOOL, "", parts=(ToolResult(record),)),
            Message(Role.TOOL, "", parts=(ToolResult(text),)),
            Message(Role.ASSISTANT, f"A Coat {text}", ("a", text[:50])),
        )
    )
    held = Grounding(log, SHELF_OF_JACKETS)
    return held.statements, held.shown, held.unused, held.errors


def faulty(text: str) -> object:
    """Return the faults of text and wording of a reply, and of one that repeats it."""
    log = ConversationLog((Message(Role.USER, text), *[Message(Role.ASSISTANT, text)] * 2))
    return list(text_faults(log, log)), list(wording_faults(log, None))


READS: dict[str, Callable[[str], object]] = {
    "steering": lambda text: detection.without_steering(text, detection.find_steering(text)),
    "views": lambda text: list(disguises.views(text)),
    "codes": lambda text: (
        list(disguises.codes(text)),
        disguises.addresses(text),
        list(disguises.turned(text)),
    ),
    "neutralise": neutralise,
    "utterance": implicit.normalise,
    "tokens": words.tokenise.__wrapped__,
    "titles": lambda text: (words.title_key(text), titles.parse_title(text)),
    "guessed titles": title_guesses.guess_titles,
    "known titles": SHELF.find,
    "written titles": lambda text: title_guesses.Verbatim(["Copper Canyon (1950)", "A B C"]).find(text),
    "words": lambda text: (
        words.word_spans.__wrapped__(text),
        words.sentences.__wrapped__(text),
        words.excerpt(text),
    ),
    "acts": acts.user_acts,
    "requests": lambda text: unanswered.asks(Message(Role.USER, text)),
    "grammar": lambda text: language.find_errors(text, ()),
    "degenerate": lambda text: language.find_degenerate(text, ()),
    "stutters": lambda text: language.find_stutters(words.word_spans.__wrapped__(text)),
    "prices": lambda text: (list(money.amounts(text)), list(money.limits(text))),
    "kinds": lambda text: kinds.kinds_named([text]),
    "feelings": feelings.contentment,
    "language": lambda text: language.is_other_language(words.words(text), text),
    "computed faults": faulty,
    "grounding": grounded,
    "objects": lambda text: list(objects_in(text)),
}
UNITS = (
    " ", "a", "A", "1", ".", '"', "(", "[", "{", "<", "_", "-", "*", "`", "\n", "\t", "é", "İ", "\u200b", "\u0301", "灯", "😀", "\ud800",
    "a ", "a. ", "A ", "a, ", "a-", "a_", "a/a ", "a: ", "A.B.", "İa ", "the ", "The ", "A of ", "1,111,", "$1 ", "(1999) ", "A (1999) ",
    '"a" ', 'a"', "a'", "- a\n", "1. a\n", "1) ", "try A ", "you ", "score ", "judge ", "[a]", "<a>", "</a>", '{"a":', "```\n", ". a", "!?",
    "&#1;", "%41", "\\u0041", ".- ", "01000001", "41 ", "QUJD", "have you seen ", "directed by Al ", "it is a comedy ", "not good ",
    "http://a.b ", "www.",
)  # fmt: skip
#: Seconds for the small text under which a function is linear, and seconds that the large one may never take.
AT_ONCE, MOST = 0.01, 4.0
PARTS = 8
"""Each function reads one of so many parts of the texts."""


@pytest.fixture(scope="module")
def hostile() -> list[pump.Text]:
    """Units over and over, runs of units, and what pumps some of the project's patterns."""
    rng = random.Random(1)
    pumps = [pump.texts(one.pattern, one.flags, []) for one in rng.sample(found(), 300)]
    return [
        *(pump.pumped(start, unit, end=end) for unit in UNITS for start, end in (("", ""), ("x ", "!\x00"))),
        *(
            pump.pumped("", "".join(rng.choices(UNITS, k=length)))
            for length in (2, 2, 2, 3, 3, 3, 5, 5, 8, 8, 20, 20)
        ),
        *(rng.choice(each) for each in pumps if each),
    ]


@pytest.mark.parametrize("name", READS)
def test_reading_takes_linear_time(name: str, hostile: list[pump.Text]) -> None:
    texts = hostile[list(READS).index(name) % PARTS :: PARTS]
    slow = [text(60) for text in texts if pump.grows(READS[name], text, AT_ONCE, MOST)]
    assert not slow
