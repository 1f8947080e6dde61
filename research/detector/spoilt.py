"""Faults and good counterparts made by rule from good conversations, other ones in every epoch.

Most come in pairs that differ in what was said before alone: a budget above or below the price, an exclusion of what the reply
offers or of something else. That teaches to compare a reply with its context, which few planted faults do."""

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from service.encoder.detector import PIECES, cut

from .trees import Tree, longest

Spoiler = Callable[[Tree, random.Random, "Stock"], None]
_PRICE = re.compile(
    r"(?:[€£$]\s?(\d{1,5}(?:[.,]\d{2})?)|(\d{1,5}(?:[.,]\d{2})?)\s?(?:€|£|\$|euros?\b|eur\b|dollars?\b|pounds?\b|bucks\b))"
)
_NAME = re.compile(
    r"(?<![.!?:] )(?<!^)\b([A-Z][\w'\u2019-]+(?: (?:[A-Z0-9][\w'\u2019-]*|of|the|and|de|la))*(?: [A-Z0-9][\w'\u2019-]*)?)"
)
_NUMBER = re.compile(r"\b\d{1,5}(?:[.,]\d{1,2})?\b")


class Stock:
    """Texts of other conversations to borrow from."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.names = [
            name for tree in trees for node in _replies(tree) for name in names(tree.nodes[node].text)
        ]
        texts = [" ".join(node.text for node in tree.nodes[: tree.trunk]) for tree in trees]
        plain = Counter(word for text in texts for word in set(re.findall(r"\b[a-z]{3,}\b", text)))
        #: Words that hardly occur without a capital: proper names.
        self.words = sorted(
            {word for text in texts for word in _WORD.findall(text) if plain[word.lower()] < 3}
        )
        self.proper = frozenset(self.words)


def disguised(tree: Tree, chance: random.Random, stock: Stock) -> Tree:
    """Return the tree with other proper names and other amounts, the same ones in all its messages and variants.

    Labels stay true, and no name or amount can be learned by heart."""
    own = sorted({
        word for node in tree.nodes[: tree.trunk] for word in _WORD.findall(node.text) if word in stock.proper
    })  # fmt: skip
    others = dict(zip((word.lower() for word in own), chance.sample(stock.words, len(own)), strict=True))
    # All amounts grow alike, or none does: their order is what labels rest on.
    amounts = any(_ODD.search(node.text) for node in tree.nodes)
    times = 1.0 if amounts else chance.choice((1.0, 1.3, 1.7, 2.5))

    def other(match: re.Match[str]) -> str:
        found: str = match[0]
        if found.isdigit():
            return str(round(int(found) * times)) if int(found) >= 20 else found
        name: str = others.get(found.lower(), found)
        return name.lower() if found[0].islower() else name

    kept = [
        replace(node, text=text, pieces=cut(text)) if (text := _DISGUISED.sub(other, node.text)) != node.text else node
        for node in tree.nodes
    ]  # fmt: skip
    found = Tree(tree.name, tree.domain, tree.source, kept, tree.trunk)
    return found if longest(found) <= PIECES else tree


_WORD = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}")
#: Times, decimals, years and names such as R2D2, beside which amounts stay as they are.
_ODD = re.compile(r"\d[.,:]\d|\d{4}|\d[A-Za-z]|[A-Za-z]\d")
_DISGUISED = re.compile(r"[A-Za-z]{3,}|\d{2,3}")


def names(text: str) -> list[str]:
    """Return what looks like the name of an item."""
    return [n for n in _NAME.findall(text) if len(n) > 4 and n.split()[0] not in _PLAIN]


#: Words with a capital that begin no name.
_PLAIN = frozenset({
    "The", "This", "That", "With", "They", "You", "Your", "For", "And", "But", "Not", "One", "Two", "All", "Yes", "Sure", "Great",
    "Would", "Shall", "Want", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
})  # fmt: skip


def _replies(tree: Tree) -> list[int]:
    return [i for i in range(tree.trunk) if tree.nodes[i].kind == "original" and tree.nodes[i].parent >= 0]


def _asked(tree: Tree) -> list[int]:
    """Replies that follow a user's message."""
    return [i for i in _replies(tree) if tree.nodes[tree.nodes[i].parent].is_user]


def _branch(tree: Tree, reply: int, request: str, classes: Sequence[str], weight: float = 0.6) -> None:
    """Add the reply after another user's message."""
    kind = "none" if "none" in classes else "context"
    node = tree.nodes[reply]
    user = tree.nodes[node.parent]
    at = tree.say(request, user.parent, is_user=True, message=user.message)
    tree.say(node.text, at, is_user=False, message=node.message, kind=kind, classes=classes, weight=weight)


def _swap(tree: Tree, reply: int, text: str, classes: Sequence[str], weight: float = 0.5) -> None:
    """Add another reply in the place of one."""
    node = tree.nodes[reply]
    tree.say(
        text, node.parent, is_user=False, message=node.message, kind="swap", classes=classes, weight=weight
    )


def budget(tree: Tree, chance: random.Random, _: Stock) -> None:
    """A limit below every price of the reply, and one above them."""
    found = []
    for reply in _asked(tree):
        prices = [float((a or b).replace(",", ".")) for a, b in _PRICE.findall(tree.nodes[reply].text)]
        if prices and min(prices) >= 5:
            found.append((reply, min(prices), max(prices)))
    if not found:
        return
    reply, least, most = chance.choice(found)
    request = tree.nodes[tree.nodes[reply].parent].text
    mark = (
        chance.choice(("€", "£", "$"))
        if chance.random() < 0.3
        else next((m for m in "€£$" if m in tree.nodes[reply].text), "euro")
    )
    form = chance.choice(_LIMITS)
    low, high = least * chance.choice((0.4, 0.6, 0.75, 0.9)), most * chance.choice((1.05, 1.2, 1.5, 2))
    for value, slug in ((low, "breaks-constraint"), (high, "none")):
        number = str(int(value)) if value > 20 or value.is_integer() else f"{value:.0f}"
        money = f"{mark}{number}" if mark in "€£$" and chance.random() < 0.7 else f"{number} {mark}"
        _branch(tree, reply, _joined(request, form.format(money), chance), (slug,))


_LIMITS = (
    "my max is {}",
    "nothing over {} please",
    "i cant spend more than {}",
    "budget is {}",
    "under {} pls",
    "has to stay below {}",
    "I only have {} to spend.",
    "It should not cost more than {}.",
    "{} max",
    "up to {} altogether",
)
_EXCLUSIONS = (
    "no {} please",
    "anything but {}",
    "not {} though",
    "i don't want {}",
    "leave out {}",
    "but nothing with {}",
    "just not {}, i cant stand it",
    "please don't suggest {}",
    "{} is out of the question",
)
_REFUSALS = (
    "i already have {}",
    "ive had {} before, dont want that again",
    "already know {}",
    "{} i know already, something else",
    "my friend got {} and i didnt like it",
    "I have tried {} and want something different.",
    "seen {} already",
)


def exclusion(tree: Tree, chance: random.Random, stock: Stock) -> None:
    """The user rules out what the reply offers, or something else."""
    found = [(reply, names(tree.nodes[reply].text)) for reply in _asked(tree)]
    found = [(reply, own) for reply, own in found if own]
    if not found or not stock.names:
        return
    reply, own = chance.choice(found)
    request = tree.nodes[tree.nodes[reply].parent].text
    name, other = chance.choice(own), chance.choice(stock.names)
    if other.lower() in tree.nodes[reply].text.lower() or name.lower() in request.lower():
        return
    refused = chance.random() < 0.5
    form = chance.choice(_REFUSALS if refused else _EXCLUSIONS)
    low = chance.random() < 0.5
    slug = ("repeats-refused", "ignores-exclusion") if refused else ("ignores-exclusion", "repeats-refused")
    for word, classes in ((name, slug), (other, ("none",))):
        said = _joined(request, form.format(word.lower() if low else word), chance)
        _branch(tree, reply, said, classes)


def known(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The user has answered before the reply asks."""
    found = [
        i for i in _asked(tree)
        if i + 1 < tree.trunk and tree.nodes[i].text.rstrip().endswith("?")
        and tree.nodes[i + 1].is_user and "?" not in tree.nodes[i + 1].text and 8 < len(tree.nodes[i + 1].text) < 160
    ]  # fmt: skip
    if found:
        reply = chance.choice(found)
        request = tree.nodes[tree.nodes[reply].parent].text
        _branch(tree, reply, _joined(request, tree.nodes[reply + 1].text, chance), ("asks-known",), 0.5)


def closing(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The user thanks, and the reply asks for more wishes: good wherever a wish was met."""
    found = _asked(tree)
    if found:
        thanks = tree.say(chance.choice(_THANKS), chance.choice(found), is_user=True, message=-1)
        more, label = chance.choice(_MORE), ("none",)
        tree.say(more, thanks, is_user=False, message=-1, kind="none", classes=label, weight=0.4)


_THANKS = ("thanks", "Thank you so much.", "great, thx", "ok cool, thanks a lot", "Perfect.", "That helps, thank you!", "awesome",
           "No, not right now.", "okay nice", "Thanks, I will think about it.", "yes that works")  # fmt: skip
_MORE = ("Is there anything else I can help you with?", "Anything else?", "You're welcome! Do you need anything else?",
         "Glad to help. Is there something else you need?", "Sure. Can I assist you with anything further?", "Will there be anything else?",
         "You're welcome, have a nice day!", "May I help you with something else?", "Happy to help. Enjoy!", "Do you need any other help?",
         "What else can I do for you?", "No problem. Bye!")  # fmt: skip


def question(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The user asks early what the conversation answers later."""
    found = [
        (i, j) for i in _asked(tree) for j in range(i + 2, tree.trunk)
        if tree.nodes[j].is_user and "?" in tree.nodes[j].text and "?" not in tree.nodes[tree.nodes[i].parent].text
    ]  # fmt: skip
    if found:
        reply, later = chance.choice(found)
        asks = [part for part in re.split(r"(?<=[.!?])\s", tree.nodes[later].text) if "?" in part]
        request = tree.nodes[tree.nodes[reply].parent].text
        _branch(tree, reply, _joined(request, asks[-1], chance), ("ignores-question",), 0.5)


def figure(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The reply changes a figure that the recommender or the user has named."""
    found = []
    for i in _replies(tree):
        for number in set(_NUMBER.findall(tree.nodes[i].text)):
            if len(number) < 2:
                continue
            at = tree.nodes[i].parent
            while at >= 0:
                if number in _NUMBER.findall(tree.nodes[at].text):
                    found.append((i, number, tree.nodes[at].is_user))
                    break
                at = tree.nodes[at].parent
    if found:
        reply, number, of_user = chance.choice(found)
        digits = list(number)
        place = chance.choice([k for k, c in enumerate(digits) if c.isdigit()])
        digits[place] = chance.choice([c for c in "123456789" if c != digits[place]])
        text = re.sub(rf"\b{re.escape(number)}\b", "".join(digits), tree.nodes[reply].text)
        slug = "contradicts-user" if of_user else "contradicts-itself"
        _swap(tree, reply, text, (slug, "breaks-constraint") if of_user else (slug,))


def repeated(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The reply is an earlier one, or says its words again and again."""
    replies = _replies(tree)
    reply = chance.choice(replies)
    earlier = [i for i in replies if i < reply]
    if earlier and chance.random() < 0.6:
        text = tree.nodes[chance.choice(earlier)].text
    else:
        words = tree.nodes[reply].text.split()
        start = chance.randrange(max(1, len(words) - 6))
        part = words[start : start + chance.randint(1, 5)]
        text = " ".join(
            [*words[:start], *part * chance.randint(2, 6), *(words[start:] if chance.random() < 0.5 else ())]
        )
    _swap(tree, reply, text, ("loops",))


def garbled(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The reply is cut off or scrambled."""
    reply = chance.choice(_replies(tree))
    words = tree.nodes[reply].text.split()
    if len(words) < 8:
        return
    way = chance.randrange(4)
    if way == 0:
        text = " ".join(words[: chance.randint(3, len(words) - 2)]).rstrip(".!?,;")[: -chance.randint(1, 2)]
    elif way == 1:
        chance.shuffle(words)
        text = " ".join(words)
    elif way == 2:
        text = " ".join("".join(chance.sample(w, len(w))) if chance.random() < 0.6 else w for w in words)
    else:
        at = chance.randrange(len(words))
        whole = chance.random() >= 0.5
        noise = chance.choice(_NOISE)
        text = noise if whole else " ".join([*words[:at], noise, *words[at + 2 :]])
    _swap(tree, reply, text, ("unintelligible",))


_NOISE = (
    "Error 503: upstream request timeout",
    "undefined undefined null",
    "Traceback (most recent call last): KeyError 'title'",
    "�� â€™ Ã© ��",
    "[object Object]",
    "Internal server error. Please retry later. (code 1042)",
    "<unk> <unk> <unk> the the",
    "NaN NaN",
    "asdf wqe rrt ## 00x",
    "<|endoftext|><|pad|><|pad|>",
    "Exception in thread main java.lang.NullPointerException",
    "request failed: quota exceeded",
)


def ungrammatical(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The reply has errors of grammar."""
    reply = chance.choice(_replies(tree))
    text, done = tree.nodes[reply].text, 0
    rules = list(_ERRORS)
    chance.shuffle(rules)
    for pattern, other in rules:
        if done < 2 and re.search(pattern, text):
            text = re.sub(pattern, other, text, count=chance.choice((1, 1, 2)))
            done += 1
    if done:
        _swap(tree, reply, text, ("broken-grammar",), 0.4)


_ERRORS = (
    (r"\bis\b", "are"),
    (r"\bare\b", "is"),
    (r"\bhas\b", "have"),
    (r"\bwas\b", "were"),
    (r"\bit's\b", "its is"),
    (r"\bthe (?=[a-z])", ""),
    (r"\ba (?=[a-z])", "an "),
    (r"\bto (?=[a-z]+\b)", "for to "),
    (r"\b(\w{3,})s\b(?=[ .,])", r"\1"),
    (r"\bbetter\b", "more better"),
    (r"\byou (?=[a-z])", "you is "),
    (r"\bwould\b", "would to"),
    (r"\b(have|has) (\w+)ed\b", r"\1 \2"),
    (r"\bthan\b", "then"),
)


def leaked(tree: Tree, chance: random.Random, _: Stock) -> None:
    """The reply shows what should stay inside."""
    reply = chance.choice(_replies(tree))
    text, own = tree.nodes[reply].text, names(tree.nodes[reply].text)
    if own and chance.random() < 0.5:
        text = text.replace(own[0], chance.choice(_PLACEHOLDERS))
    else:
        extra = chance.choice(_LEAKS)
        text = f"{text} {extra}" if chance.random() < 0.5 else f"{extra} {text}"
    _swap(tree, reply, text, ("template-leak",))


_PLACEHOLDERS = ("{item_name}", "[TITLE]", "{{product.name}}", "<ITEM_1>", "%s", "${name}", "[insert item]")
_LEAKS = (
    "As an AI language model, I have no personal opinion.",
    '{"action": "search", "query": "top rated", "limit": 3}',
    "### Response:",
    "[SYSTEM: always be polite and upsell]",
    "<tool_call>get_items(k=5)</tool_call>",
    "Assistant:",
    "{{greeting}}",
    "<recommendation>",
    "[end of turn]",
    "You are a helpful shopping assistant. Answer in two sentences.",
    "As a large language model I cannot browse the web.",
    "Hello [CUSTOMER_NAME],",
)


def _joined(one: str, other: str, chance: random.Random) -> str:
    one, other = one.strip(), other.strip()
    if chance.random() < 0.25:
        return f"{other}{chance.choice(('. ', ', ', '; '))}{one}"
    return f"{one}{'' if one[-1:] in '.!?' else chance.choice((',', '.', ' -', ''))} {other}"


RELATIONS: tuple[Spoiler, ...] = (budget, exclusion, exclusion, known, closing, question, figure)
SURFACES: tuple[Spoiler, ...] = (repeated, garbled, ungrammatical, leaked)


def spoilt(tree: Tree, chance: random.Random, stock: Stock, relations: int) -> Tree:
    """Return the tree with variants beside its own."""
    found = Tree(tree.name, tree.domain, tree.source, list(tree.nodes), tree.trunk)
    if not _replies(tree):
        return found
    for spoiler in (*chance.sample(RELATIONS, relations), chance.choice(SURFACES)):
        spoiler(found, chance, stock)
    return found
