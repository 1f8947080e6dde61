"""A catalogue's words as a person says them, by a model: CONCEPT's users do not speak in the catalogue's own."""

from collections.abc import Mapping, Sequence

from ..domain.completion import Call, ChatMessage, Usage
from ..prompts import one_line, render
from ..text.words import FUNCTION_WORDS, words
from .asker import Answered, Asker, prompt
from .claims import stem
from .form import Form
from .phrases import style_of

LONGEST = 15
"""Words of a wording: a longer one is a lecture."""


class _Wording(Form):
    number: int
    words: str


class _Wordings(Form):
    wordings: list[_Wording]


async def everyday_words(
    asker: Asker, wishes: Sequence[str], domain: str, call: Call
) -> tuple[Mapping[str, str], Usage]:
    """Other words for each of these, and what they took. A wording that is too long, or that holds a word of its wish, is
    left out; so are all where the model gives no usable answer."""
    style = style_of(domain)
    listed = "\n".join(f"{number}. {one_line(wish)}" for number, wish in enumerate(wishes, start=1))
    text = render(prompt("persona_words"), plural=style.plural, noun=style.noun, words=listed)
    answer = await asker.ask([ChatMessage("user", text)], _Wordings, call)
    if not isinstance(answer, Answered):
        return {}, answer.usage
    given = {one.number: one.words for one in answer.value.wordings}
    common = {stem(word) for word in (style.noun, style.plural, *_EVERYWHERE)}
    found = {
        wish: given[number]
        for number, wish in enumerate(wishes, start=1)
        if number in given and _is_everyday(given[number], wish, common)
    }
    return found, answer.usage


_EVERYWHERE = ("film", "movie", "book", "story")
"""Words that no wording can do without, and that give nothing away."""


def _is_everyday(told: str, wish: str, common: set[str]) -> bool:
    said = {stem(word) for word in words(told)}
    own = {stem(word) for word in words(wish) if word not in FUNCTION_WORDS} - common
    return 0 < len(words(told)) <= LONGEST and not said & own
