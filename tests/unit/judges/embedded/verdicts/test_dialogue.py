from typing import Any

import pytest

from service.domain.verdict import NotAssessable, Scored
from service.judges.embedded.rules.replies import SURELY_SERVED

GOOD = [
    "U: Hi, I'm looking for a comedy for tonight",
    "A: Nice! Do you prefer something old or something new?",
    "U: New please",
    'A: How about "The Long Way (2004)"? It is about two cooks who share a kitchen.',
    "U: Who directed it?",
    "A: It was directed by Mei Tanaka.",
    "U: Sounds great, thanks!",
    "A: You're welcome, enjoy it.",
]


async def test_a_conversation_without_a_miss_gets_the_highest_level(ask: Any) -> None:
    verdict = await ask(GOOD, "coherence")
    assert verdict.level == 4
    assert sum(piece.effect for piece in verdict.evidence) == pytest.approx(verdict.score - 4, abs=0.005)
    assert [turn.message for turn in verdict.turns] == [1, 3, 5, 7]
    assert all(turn.score >= SURELY_SERVED for turn in verdict.turns)


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("U: Can you recommend a comedy?", "A: I have never heard of that one."),
        ("U: Can you recommend a comedy?", "A: Have a good day!"),
        ("U: Can you recommend a comedy?", "A:"),
        ("U: Can you recommend a comedy?", "A: is a good movie."),
        ("U: Can you recommend a comedy?", "A: he wrote The The The Last Last Stand"),
        ("U: What is it about?", 'A: How about "Winter Orchard (2011)"?'),
        ("U: What is it about?", "A: I hope you enjoy the suggestions."),
        ("U: Why did you choose it?", "A: Have you seen it?"),
        ("U: Why?", "A: Did you like it?"),
        ("U: Who is the director?", "A: It stars Mei Tanaka and Ada Lindqvist."),
        ("U: Which year was it made?", "A: It is a comedy about a farm and two cooks."),
        ("U: How many films did she make?", "A: It is a comedy about a farm and a cook."),
        ("U: Which one?", "A: They are about a killer whale and a boat."),
        ("U: What is it about?", "A: The Long Way is a comedy."),
        ("U: Which one do you mean?", 'A: I suggest "Blue Harbour", "Copper Canyon" and "Winter Orchard".'),
        ("U: Can you tell me more about these?", "A: They are all very good."),
        ("U: Are they from France?", 'A: Ok, some other good ones are "Blue Harbour" and "Copper Canyon".'),
        ("U: Who is the director?", 'A: Good choice. Have you seen "Blue Harbour"?'),
        ("U: What are you up to today?", 'A: I would recommend "Blue Harbour" and "Copper Canyon".'),
        ("U: Do you know any good horror films?", "A: It is about a cook and a farm."),
    ],
)
async def test_each_way_of_missing_is_told_with_its_message(ask: Any, question: str, reply: str) -> None:
    verdict = await ask([*GOOD[:6], question, reply], "coherence")
    assert verdict.level == 3
    assert [piece.message for piece in verdict.evidence if piece.effect] == [7]
    assert sum(piece.effect for piece in verdict.evidence) == pytest.approx(verdict.score - 4, abs=0.002)
    assert verdict.evidence[-1].message_id == "m7"
    assert "message 7" in verdict.rationale
    assert verdict.turns[-1].score < 2


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (["U: Can you recommend something?", "A: Yes, he wrote it too."], "nobody named"),
        (["U: Hello!", 'A: How about "Winter Orchard (2011)"?'], "before it knows anything"),
        (["U: Hello!", "A: Comedies, Action, Thriller"], "neither a greeting nor a question"),
        (
            ["U: Can you recommend a comedy?", "A: It's a great movie, at least I liked it."],
            "that nobody named",
        ),
        (["U: So, films?", "A: Since you asked for Tom Reyes, you will like Blue Harbour."], "did not say"),
        (["U: Can you recommend a comedy?", "A: Sure, I can help you with that."], "promises suggestions"),
        (
            ["U: I don't want to watch horror", "A: Do you like older horror like Blue Harbour?"],
            "a kind that the user turned down",
        ),
        (
            [
                'U: Can you recommend films similar to "Winter Orchard (2011)"?',
                "A: 1. Winter Orchard (2011)\n2. The Long Way (2004)",
            ],
            "named as an example",
        ),
        (["U: something funny", 'A: Yes, it is one. Do you know "Winter Orchard (2011)"?'], "not asked"),
        (["U: I like comedies", "A: I have not seen it. I really liked it."], "contradicts itself"),
        ([*GOOD[:4], "U: another one please", "A: Hello! What can I help you with?"], "again in the middle"),
        ([*GOOD[:4], "U: Can you recommend a drama?", "A: Can you recommend a drama?"], "own words"),
        ([*GOOD[:2], *GOOD[:2]], "asked before"),
        (
            [*GOOD[:4], "U: Thank you. Please tell me more about it", "A: You are welcome."],
            "does not answer the question",
        ),
        (
            [*GOOD[:4], "U: That is not what I asked for", 'A: How about "Winter Orchard (2011)"?'],
            "only with suggestions",
        ),
        ([*GOOD[:4], "U: That is not what I asked for", "A: Nice."], "ignores the user's objection"),
        (
            [*GOOD[:4], "U: Thanks, bye", 'A: How about "Winter Orchard (2011)"?'],
            "is ending the conversation",
        ),
        (
            [
                *GOOD[:4],
                'U: What is "Paper Lanterns (2015)" about?',
                'A: "Winter Orchard (2011)" is about a farm.',
            ],
            "different item",
        ),
        (
            [
                "U: Can you recommend a comedy?",
                'A: Have you seen "Winter Orchard (2011)"?',
                "U: Yes, a few times",
                'A: I would recommend "Winter Orchard (2011)" and "Paper Lanterns (2015)".',
            ],
            "has seen or turned down",
        ),
        (
            [*GOOD[:4], "U: Those sound good, any others?", 'A: "The Long Way (2004)" is great, try it.'],
            "it offered before",
        ),
        (["U: A comedy from the 80s, please", 'A: How about "Winter Orchard (2011)"?'], "different time"),
        (
            [
                "U: Can you recommend a film from before 1990?",
                "A: Sure, what genres do you like?",
                "U: Drama",
                'A: I would recommend "Winter Orchard (2011)".',
            ],
            "different time",
        ),
        (
            [
                "U: Can you recommend a comedy?",
                "A: I hope you enjoy them. Can I help you with anything else?",
            ],
            "ends the conversation although the user is still asking",
        ),
    ],
)
async def test_weaknesses_are_told_in_words(ask: Any, script: list[str], told: str) -> None:
    verdict = await ask(script, "coherence")
    assert told in verdict.rationale
    assert verdict.turns[-1].score < 4


async def test_coherence_counts_turns_not_messages(ask: Any) -> None:
    verdict = await ask(
        ["U: recommend a comedy", "A: Hm.", 'A: How about "The Long Way (2004)"?'], "coherence"
    )
    assert verdict.level == 4
    assert [turn.message for turn in verdict.turns] == [1, 2]


async def test_without_an_objection_there_is_no_occasion_to_recover(ask: Any) -> None:
    verdict = await ask(GOOD, "recoverability")
    assert verdict.level == 4
    assert [flag.code for flag in verdict.flags] == ["no_occasion"]


async def test_a_mended_objection_costs_nothing(ask: Any) -> None:
    script = [
        *GOOD[:4],
        "U: I said something new, that is not new",
        'A: Sorry, my mistake! How about "Winter Orchard (2011)"?',
        "U: great, thanks",
    ]
    verdict = await ask(script, "recoverability")
    assert isinstance(verdict, Scored)
    assert (verdict.score, verdict.flags) == (4, ())
    assert "message 4" in verdict.rationale


async def test_objections_left_open_are_counted(ask: Any) -> None:
    script = [
        *GOOD[:4],
        "U: That is not what I asked for",
        "A: It is good.",
        "U: You are not listening",
        "A: It is good.",
    ]
    verdict = await ask(script, "recoverability")
    assert verdict.level == 2
    assert [piece.message for piece in verdict.evidence] == [4, 6]


async def test_a_reply_that_owns_up_shows_that_a_mistake_was_pointed_out(ask: Any) -> None:
    script = [
        "U: Find me a beach in Norland",
        "A: I recommend Sorra, it has long beaches.",
        "U: Sorra is in Sudland",
        "A: You're right, I'm sorry. I recommend Mellby, which has long beaches by the old harbour.",
    ]
    verdict = await ask(script, "recoverability")
    assert (verdict.level, verdict.flags) == (4, ())
    assert "message 2" in verdict.rationale


async def test_an_apology_alone_corrects_nothing(ask: Any) -> None:
    script = [*GOOD[:4], "U: That is not what I asked for", "A: I'm sorry. Is there anything else?"]
    verdict = await ask(script, "recoverability")
    assert verdict.level == 3
    assert [piece.message for piece in verdict.evidence] == [4]


async def test_a_no_to_further_help_takes_leave(ask: Any) -> None:
    script = [*GOOD[:6], "U: Great, I will watch it", "A: Anything else?", "U: no", "A: Goodbye!"]
    verdict = await ask(script, "coherence")
    assert verdict.turns[-1].score >= SURELY_SERVED


@pytest.mark.parametrize("answer", ["yes", "yes please", "ok, go ahead"])
async def test_a_yes_to_a_step_accepts_it(ask: Any, answer: str) -> None:
    script = [*GOOD[:6], "U: Fine", "A: Shall I book The Long Way for tonight?", f"U: {answer}", "A: Done."]
    verdict = await ask(script, "effectiveness")
    assert "message 8" in verdict.rationale


@pytest.mark.parametrize(("complete", "score"), [(True, 3), (False, 4)])
async def test_a_live_log_is_not_blamed_for_its_missing_end(ask: Any, complete: bool, score: int) -> None:
    verdict = await ask([*GOOD[:4], "U: That is not what I asked for"], "recoverability", complete=complete)
    assert verdict.level == score
    assert ("in_progress" in {flag.code for flag in verdict.flags}) is not complete


async def test_initiative_is_the_share_of_replies_that_lead_on(ask: Any) -> None:
    idle = ["U: recommend something", "A: It is nice."]
    leading = ["U: recommend something else", "A: What kind of films do you like?"]
    scores = [(await ask([*leading * lead, *idle * (3 - lead)], "proactiveness")).level for lead in range(4)]
    assert scores[0] == 0
    assert scores == sorted(scores)


async def test_the_same_question_leads_once(ask: Any) -> None:
    """Otherwise a canned question after every reply is worth more than two points."""
    plain = [
        "U: Which one has a happy end?", "A: The Long Way does.",
        "U: And who directed it?", "A: Mei Tanaka did.",
        "U: Is it long?", "A: It takes two hours.",
        "U: Where was it made?", "A: It was made in Kyoto.",
    ]  # fmt: skip
    canned = [
        f"{line} Would you like something similar?" if line.startswith("A:") else line for line in plain
    ]
    others = [
        "What do you like?",
        "Do you prefer old films?",
        "Which actors do you like?",
        "Would you like a comedy?",
    ]
    varied = [
        f"{line} {others[place // 2]}" if line.startswith("A:") else line for place, line in enumerate(plain)
    ]
    without, same, several = [
        (await ask(script, "proactiveness")).score for script in (plain, canned, varied)
    ]
    assert without < same < 2 < several


async def test_a_whole_question_of_a_broken_reply_still_asks(ask: Any) -> None:
    half = await ask(
        ["U: A film, please", "A: is a thriller film. Do you like thrillers at all?"], "proactiveness"
    )
    none = await ask(["U: A film, please", "A: is a thriller film that you you you like."], "proactiveness")
    assert half.level == 4
    assert none.level == 0


async def test_suggestions_of_one_who_never_asks_count_a_third(ask: Any) -> None:
    suggesting = ["U: recommend something", 'A: How about "Winter Orchard (2011)"?']
    alone = await ask(suggesting, "proactiveness")
    assert alone.level == 2
    assert "never asks" in alone.rationale
    asking = ["U: recommend something", "A: What kind of films do you like?"]
    assert (await ask([*asking, *suggesting], "proactiveness")).level == 4


async def test_a_question_is_told_as_one(ask: Any) -> None:
    script = ["U: a comedy", "A: What year?", "U: a new one", 'A: How about "The Long Way (2004)"?']
    verdict = await ask(script, "proactiveness")
    assert (
        "1 suggests something new (message 3), 1 asks about something else (message 1)" in verdict.rationale
    )


async def test_what_was_said_is_not_said_again(ask: Any) -> None:
    script = ["U: hello", "A: It is raining.", "U: tell me", "A: It was windy."]
    verdict = await ask(script, "proactiveness")
    assert verdict.rationale.startswith("Neither reply asks")
    assert "likewise message 3 (“It was windy.”)" in verdict.rationale


async def test_what_has_no_title_is_suggested_by_a_name_that_is_new(ask: Any) -> None:
    async def level(reply: str) -> float:
        verdict = await ask(
            ["U: Can you recommend a walk near Innsbruck?", reply], "proactiveness", domain="hiking"
        )
        return float(verdict.level)

    assert await level("A: It stays flat at 2,000 metres through old pines over the valley.") == 0
    assert await level("A: The Zirbenweg stays flat at 2,000 metres through old pines over the valley.") > 0
    assert await level("A: Innsbruck lies flat in its valley, old pines and meadows over the river.") == 0


async def test_repeating_oneself_is_no_initiative(ask: Any) -> None:
    verdict = await ask(
        [
            "U: recommend something",
            "A: What kind of films do you like?",
            "U: comedies",
            "A: What kind of films do you like?",
        ],
        "proactiveness",
    )
    assert verdict.level == 2
    assert verdict.evidence[0].message == 3


async def test_a_farewell_to_one_who_leaves_is_not_held_against_initiative(ask: Any) -> None:
    assert (await ask(GOOD[:4] + GOOD[6:], "proactiveness")).level == 4
    verdict = await ask(["U: thanks, bye", "A: You're welcome"], "proactiveness")
    assert isinstance(verdict, NotAssessable)
    assert verdict.code == "no_occasion"


@pytest.mark.parametrize(
    "refusal", ["No thanks, that is all.", "No, thank you!", "Nope, I'm all set.", "That will be all"]
)
async def test_taking_leave_after_a_polite_refusal_costs_nothing(ask: Any, refusal: str) -> None:
    script = [*GOOD[:6], f"U: {refusal}", "A: Then have a lovely evening!"]
    coherence = await ask(script, "coherence")
    assert coherence.turns[-1].score >= SURELY_SERVED
    before, after = await ask(GOOD[:6], "proactiveness"), await ask(script, "proactiveness")
    assert after.score == before.score


@pytest.mark.parametrize(
    "question",
    [
        "Does that suit you, or shall I look in another direction?",
        "Shall I also suggest something for afterwards?",
        "How does that sound?",
        "Do you have a cuisine in mind, and should it be quiet or lively?",
    ],
)
async def test_offering_a_next_step_leads_on(ask: Any, question: str) -> None:
    verdict = await ask(["U: We want to go out for dinner", f"A: {question}"], "proactiveness")
    assert verdict.level == 4
    assert "The one reply asks about preferences or offers a next step" in verdict.rationale


async def test_coherence_stays_within_a_level_of_its_count(ask: Any) -> None:
    missing = ["U: Can you recommend a comedy?", "A: I have never heard of that one."] * 2
    short = await ask([*GOOD[:2], *missing[:2]], "coherence")
    assert 2 <= short.score <= 3.5
    long = await ask([*GOOD[:6], *GOOD[:6], *missing], "coherence")
    assert long.score <= 3
    assert long.level != 4


async def test_where_every_reply_misses_coherence_is_at_its_lowest_level(ask: Any) -> None:
    missing = ["U: Can you recommend a comedy?", "A: I have never heard of that one."]
    verdict = await ask(missing, "coherence")
    assert verdict.score < 1.5
    assert "The one reply misses" in verdict.rationale


async def test_what_carries_the_user_less_far_leads_less(ask: Any) -> None:
    idle = ["U: Can you recommend a comedy?", "A: I have never heard of that one."]
    led = ["U: Can you recommend a comedy?", "A: Shall I suggest something?"]
    glad = await ask([*idle, *led, "U: Sounds great! I love old ones"], "proactiveness")
    weary = await ask([*idle, *led, "U: That is not what I asked for"], "proactiveness")
    assert weary.score < glad.score
    every = await ask([*led, "U: That is not what I asked for"], "proactiveness")
    assert every.level == 4
