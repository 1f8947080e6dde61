"""Scenes of plain conversations: what a user wants, and what a reply does wrong."""

import random
from collections.abc import Callable

from ..trees import Tree
from .talk import PHRASES, Row, Tables, Talk
from .tasks import booking


def wish(talk: Talk) -> str:
    """Return a first message that asks for the kind."""
    form = talk.phrase("wishes" if talk.chance.random() < 0.75 else "wants")
    article = "an" if talk.kind["name"][0] in "aeiou" else "a"
    return form.format(
        name=f"{article} {talk.kind['name']}",
        plural=talk.kind["plural"],
        want=talk.chance.choice(talk.kind["wants"]),
    )


def asked_for(talk: Talk) -> None:
    """The user says the kind, and what else matters; the reply offers something of another kind, or asks again."""
    given = talk.topics[: talk.chance.choice((0, 1, 1, 2))]
    rest = talk.topics[len(given) :]
    talk.user(talk.phrase("greetings"), wish(talk), *(talk.chance.choice(topic["tells"]) for topic in given))
    faulty = [
        talk.wrong_offer(),
        talk.wrong_offer(),
        (talk.stray(), "off-topic"),
        (talk.phrase("what").format(plural=talk.kind["plural"]), "asks-known"),
        (talk.phrase("declines"), "declines"),
        (_foreign(talk), "wrong-addressee"),
        *((talk.chance.choice(topic["asks"]), "asks-known") for topic in given),
        *((talk.chance.choice(topic["asks"]), "asks-known") for topic in given),
    ]
    good = talk.offer(talk.kind, [talk.items.pop() for _ in range(talk.chance.choice((1, 1, 1, 2, 3)))])
    if rest and talk.chance.random() < 0.4:
        good = talk.chance.choice(rest[0]["asks"])
        talk.reply(good, faulty)
        talk.user(talk.chance.choice(rest[0]["tells"]))
        again = (talk.chance.choice(rest[0]["asks"]), "asks-known")
        good = talk.offer(talk.kind, [talk.items.pop()])
        faulty = [again, talk.wrong_offer(), talk.wrong_offer(), (talk.stray(), "off-topic")]
    talk.reply(good, faulty)


def needing(talk: Talk) -> None:
    """The user names a need, and the reply breaks it."""
    if not talk.needs:
        asked_for(talk)
        return
    need, *more = talk.chance.sample(talk.needs, min(2, len(talk.needs)))
    says, wish = (
        talk.chance.choice(need["says"]),
        talk.phrase("wants").format(want=PHRASES["general"][talk.kind["group"]]),
    )
    if talk.chance.random() < 0.5:
        talk.user(talk.phrase("greetings"), wish, says)
    else:
        talk.user(talk.phrase("greetings"), wish)
        talk.reply(talk.phrase("anything"), [talk.wrong_offer(is_far=True)], 1)
        talk.user(says)
    extra = [(talk.stray(), "off-topic"), talk.wrong_offer(is_far=True)]
    first, *rest = talk.chance.sample(need["fits"], len(need["fits"]))
    talk.reply(first, [*_broken(need), *extra])
    if rest and talk.chance.random() < 0.4:
        talk.user(talk.phrase("another"))
        talk.reply(rest[0], [*_broken(need), (first, "loops repeats-refused")])
    if more and talk.chance.random() < 0.4:
        talk.user(talk.phrase("also").format(talk.chance.choice(more[0]["says"])))
        talk.reply(talk.chance.choice(more[0]["fits"]), _broken(more[0]))


def _broken(need: Row) -> list[tuple[str, str]]:
    return [(text, "breaks-constraint ignores-exclusion") for text in need["breaks"]]


def affording(talk: Talk) -> None:
    """The user names a limit, and the price is above it."""
    most = talk.chance.choice((8, 15, 20, 30, 40, 50, 60, 80, 100, 120, 150, 200, 300, 500, 800, 1200))
    mark = talk.chance.choice(("€{}", "${}", "£{}", "{} euros", "{} dollars", "{} pounds"))
    talk.user(talk.phrase("greetings"), wish(talk), talk.phrase("limits").format(mark.format(most)))
    item = talk.items.pop()
    costs = talk.phrase("costs")

    def priced(low: float, high: float) -> str:
        return costs.format(
            item=item, price=mark.format(max(2, round(most * talk.chance.uniform(low, high))))
        )

    talk.reply(
        priced(0.4, 0.98),
        [
            (priced(1.15, 2.5), "breaks-constraint"),
            (priced(1.15, 4), "breaks-constraint"),
            (talk.phrase("budget"), "asks-known"),
            talk.wrong_offer(),
        ],
    )


def questioned(talk: Talk) -> None:
    """The user asks about what was offered; the reply speaks of something else."""
    if len(talk.topics) < 2 or talk.tree.nodes[talk.last].text.endswith("?"):
        return
    topic, other = talk.chance.sample(talk.topics, 2)
    talk.user(talk.phrase("bridges"), talk.chance.choice(topic["questions"]))
    answer, beside = talk.chance.choice(topic["answers"]), talk.chance.choice(other["answers"])
    faulty = [
        (beside, "ignores-question"),
        (talk.chance.choice(talk.kind["claims"]), "ignores-question"),
        (talk.offer(talk.kind, [talk.items[0]]), "ignores-question"),
        (talk.stray(), "off-topic ignores-question"),
        (talk.phrase("idle"), "passive ignores-question"),
    ]
    talk.reply(answer, faulty)


def refused(talk: Talk) -> None:
    """The user turns an item down, and the reply offers it again."""
    item, new = talk.items.pop(), talk.items.pop()
    talk.reply(talk.offer(talk.kind, [item]), [talk.wrong_offer()], 1)
    talk.user(talk.phrase("refusals").format(item=item))
    faulty = [
        (talk.offer(talk.kind, [item]), "repeats-refused"),
        (talk.offer(talk.kind, [item, new]), "repeats-refused"),
        (talk.phrase("idle"), "passive"),
        talk.wrong_offer(),
    ]
    talk.reply(talk.offer(talk.kind, [new]), faulty)


def switched(talk: Talk) -> None:
    """The user asks for another kind after the first, and the reply stays with the first."""
    old, new = talk.kind, talk.other()
    item, again = talk.items.pop(), talk.items.pop()
    talk.reply(talk.offer(old, [item]), [talk.wrong_offer()], 1)
    article = "an" if new["name"][0] in "aeiou" else "a"
    talk.user(talk.phrase("switches").format(name=f"{article} {new['name']}", plural=new["plural"]))
    talk.turn_to(new)
    faulty = [
        (talk.offer(old, [again]), "wrong-kind"),
        (talk.offer(old, [item]), "wrong-kind loops"),
        (talk.chance.choice(old["claims"]), "wrong-kind ignores-question"),
        (talk.phrase("what").format(plural=new["plural"]), "asks-known"),
        (talk.phrase("idle"), "passive"),
    ]
    talk.reply(talk.offer(new, [talk.items.pop() for _ in range(talk.chance.choice((1, 1, 2)))]), faulty)


def mistaken(talk: Talk) -> None:
    """The recommender has offered another kind, the user says so, and the reply does it again."""
    other = talk.other()
    wrong, again = talk.chance.sample(other["items"], 2)
    before, right = talk.last, talk.items.pop()
    talk.say(talk.offer(talk.kind, [talk.items.pop()]), before, "original", ("none",))
    talk.last = talk.say(talk.offer(other, [wrong]), before, "swap", ("wrong-kind",))
    talk.turn += 1
    talk.user(
        talk.phrase("objections").format(
            name=talk.kind["name"], other=other["name"], plural=talk.kind["plural"], wrong=wrong
        )
    )
    faulty = [
        (talk.offer(other, [again]), "not-corrected wrong-kind"),
        (talk.offer(other, [wrong]), "not-corrected repeats-refused"),
        (talk.phrase("sorry"), "not-corrected"),
        (talk.phrase("denials").format(wrong=wrong, name=talk.kind["name"]), "denies-error"),
    ]
    talk.reply(f"{talk.phrase('sorry')} {talk.offer(talk.kind, [right])}", faulty)


def thanked(talk: Talk) -> None:
    """The user is content."""
    talk.user(talk.phrase("content"))
    talk.reply(
        talk.phrase("closing"),
        [talk.wrong_offer(), (talk.phrase("what").format(plural=talk.kind["plural"]), "asks-known")],
        1,
    )


def detailed(talk: Talk) -> None:
    """The user names a colour, a place, a day or a number, and the reply names another one."""
    slot = talk.slot()
    if not slot:
        asked_for(talk)
        return
    value, *others = talk.chance.sample(slot["values"], 3)
    talk.user(talk.phrase("greetings"), wish(talk), talk.chance.choice(slot["says"]).format(value))
    shows, offer = talk.chance.choice(slot["shows"]), talk.offer(talk.kind, [talk.items.pop()])
    faulty = [(f"{offer} {shows.format(other)}", "breaks-constraint contradicts-user") for other in others]
    faulty += [(talk.chance.choice(slot["asks"]), "asks-known"), talk.wrong_offer()]
    talk.reply(f"{offer} {shows.format(value)}", faulty)


def disputed(talk: Talk) -> None:
    """The reply says something else about an item than the recommender said before."""
    slot = talk.slot()
    if not slot:
        asked_for(talk)
        return
    value, other = talk.chance.sample(slot["values"], 2)
    shows, offer = slot["shows"], talk.offer(talk.kind, [talk.items.pop()])
    talk.user(talk.phrase("greetings"), wish(talk))
    talk.reply(f"{offer} {talk.chance.choice(shows).format(value)}", [talk.wrong_offer()], 1)
    talk.user(talk.phrase("bridges"), talk.chance.choice(slot["questions"]))
    faulty = [
        (talk.chance.choice(shows).format(other), "contradicts-itself"),
        (talk.chance.choice(shows).format(other), "contradicts-itself"),
        (talk.chance.choice(talk.kind["claims"]), "ignores-question"),
        (talk.phrase("idle"), "passive ignores-question"),
        (talk.phrase("rude"), "rude"),
    ]
    talk.reply(talk.chance.choice(shows).format(value), faulty)


def promised(talk: Talk) -> None:
    """The recommender only promises to look, and does so again."""
    talk.user(talk.phrase("greetings"), wish(talk))
    before = talk.last
    talk.say(talk.offer(talk.kind, [talk.items.pop()]), before, "original", ("none",))
    talk.last = talk.say(talk.phrase("stalls"), before, "swap", ("never-delivers", "passive"))
    talk.turn += 1
    talk.user(talk.phrase("impatient"))
    faulty = [
        (talk.phrase("stalls"), "never-delivers"),
        (talk.phrase("stalls"), "never-delivers"),
        (talk.phrase("goodbyes"), "abandons"),
        (talk.phrase("declines"), "declines never-delivers"),
        (talk.phrase("idle"), "passive never-delivers"),
    ]
    talk.reply(talk.offer(talk.kind, [talk.items.pop()]), faulty)


def interrogated(talk: Talk) -> None:
    """The user has answered three questions, and the reply asks a fourth."""
    if len(talk.topics) < 4:
        asked_for(talk)
        return
    talk.user(talk.phrase("greetings"), wish(talk))
    first, *rest, last = talk.topics[:4]
    before = [first]
    talk.reply(
        talk.chance.choice(first["asks"]), [talk.wrong_offer(), (talk.phrase("declines"), "declines")], 1
    )
    for topic in rest:
        talk.user(talk.chance.choice(before[-1]["tells"]))
        known = [(talk.chance.choice(each["asks"]), "asks-known") for each in before]
        talk.reply(talk.chance.choice(topic["asks"]), [*known, talk.wrong_offer()], 2)
        before.append(topic)
    talk.user(talk.chance.choice(before[-1]["tells"]))
    faulty = [
        (talk.chance.choice(last["asks"]), "interrogates"),
        *((talk.chance.choice(each["asks"]), "asks-known interrogates") for each in before),
        (talk.phrase("goodbyes"), "abandons"),
    ]
    talk.reply(talk.offer(talk.kind, [talk.items.pop()]), faulty)


def unsatisfied(talk: Talk) -> None:
    """The user still needs something, and the reply gives up."""
    talk.user(talk.phrase("unsatisfied").format(name=talk.kind["name"], plural=talk.kind["plural"]))
    faulty = [
        (talk.phrase("goodbyes"), "abandons"),
        (talk.phrase("declines"), "declines"),
        (talk.phrase("idle"), "passive"),
        (talk.phrase("pushy"), "pushy"),
        (talk.phrase("rude"), "rude"),
    ]
    talk.reply(talk.offer(talk.kind, [talk.items.pop()]), faulty)


def wondered(talk: Talk) -> None:
    """The user asks for a reason, and the reply gives none."""
    talk.user(talk.phrase("whys"))
    faulty = [
        (talk.phrase("no-reasons").format(name=talk.kind["name"]), "no-reason ignores-question"),
        (talk.phrase("generic-reasons"), "generic-reason"),
        (talk.phrase("generic-reasons"), "generic-reason"),
        (talk.phrase("rude"), "rude"),
        (talk.chance.choice(talk.other()["claims"]), "ignores-question wrong-kind off-topic"),
    ]
    talk.reply(talk.chance.choice(talk.kind["claims"]), faulty)


def hesitated(talk: Talk) -> None:
    """The user does not want to decide now, and the reply presses on."""
    talk.user(talk.phrase("hesitations"))
    pressing = [
        (talk.phrase("pushy"), "pushy"),
        (talk.phrase("pushy"), "pushy"),
        (talk.phrase("rude"), "rude"),
    ]
    talk.reply(talk.phrase("patient"), pressing, 2)


def repeated(talk: Talk) -> None:
    """The reply is the last one over again."""
    last = talk.tree.nodes[talk.last].text
    topic = talk.chance.choice(talk.topics)
    talk.user(talk.chance.choice(topic["tells"]))
    before = talk.last
    talk.say(last, before, "swap", ("loops",))
    talk.reply(
        talk.offer(talk.kind, [talk.items.pop()]), [(talk.chance.choice(topic["asks"]), "asks-known")], 1
    )


def ordered(talk: Talk) -> None:
    """The user takes what was offered."""
    talk.user(talk.phrase("orders"))
    talk.reply(
        talk.phrase("done"),
        [talk.wrong_offer(), (talk.phrase("what").format(plural=talk.kind["plural"]), "asks-known")],
        1,
    )


def clarified(talk: Talk) -> None:
    """The reply asks whether something else matters, the user says no, and the next reply keeps to its offer."""
    item, new = talk.items.pop(), talk.items.pop()
    question, answer = talk.chance.choice(PHRASES["clarifications"])
    talk.reply(f"{talk.offer(talk.kind, [item])} {question}", [talk.wrong_offer()], 1)
    talk.user(answer)
    faulty = [
        talk.wrong_offer(),
        (question, "asks-known loops"),
        (talk.phrase("idle"), "passive"),
        (talk.offer(talk.kind, [new]), "none"),
        (talk.phrase("rude"), "rude"),
    ]
    talk.reply(talk.phrase("fits").format(item=item), faulty)


Scene = Callable[[Talk], None]
TASK_SHARE = 0.35
"""The share of task dialogues."""
OPENINGS: tuple[Scene, ...] = (
    asked_for,
    asked_for,
    needing,
    needing,
    affording,
    detailed,
    detailed,
    disputed,
    promised,
    interrogated,
)
#: Openings after a first wish.
ASKED: tuple[Scene, ...] = (mistaken, mistaken, refused, refused, switched, switched, clarified, clarified)
LATER: tuple[Scene, ...] = (questioned, questioned, unsatisfied, wondered, hesitated, repeated)
LAST: tuple[Scene, ...] = (thanked, ordered)


def plain(tables: Tables, chance: random.Random) -> Tree:
    """Return a conversation of one to five replies, or a task dialogue, each reply with faulty ones beside it."""
    if chance.random() < TASK_SHARE:
        return booking(chance, held_out=tables.held_out)
    talk = Talk(tables, chance)
    opening = chance.choice((*OPENINGS, *ASKED))
    if opening in ASKED:
        talk.user(talk.phrase("greetings"), wish(talk))
    opening(talk)
    for scene in chance.sample(LATER, chance.choice((0, 0, 1, 1, 2))):
        scene(talk)
    if chance.random() < 0.25:
        chance.choice(LAST)(talk)
    return talk.tree


def _foreign(talk: Talk) -> str:
    other = talk.other()
    tells = [topic["tells"] for topic in talk.tables.topics.get(other["group"], ())]
    known = talk.chance.choice(talk.chance.choice(tells)) if tells else "that"
    return talk.phrase("foreign").format(
        plural=other["plural"], known=known, item=talk.chance.choice(other["items"])
    )
