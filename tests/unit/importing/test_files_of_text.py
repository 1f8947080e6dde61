"""Tables and transcripts, whatever wrote them."""

import pytest

from service.importing.imported import OptionError, Wanted
from service.importing.reading.mapping import pairs
from tests.unit.importing.importing import SAID, read, said_in

ROWS = [("conversation", "role", "content"), *(("c1", role, text) for role, text in SAID)]


def table(delimiter: str, end: str = "\n") -> str:
    return "".join(delimiter.join(f'"{cell}"' if "," in cell else cell for cell in row) + end for row in ROWS)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_any_usual_delimiter(delimiter: str, end: str) -> None:
    assert said_in(read(table(delimiter, end)).one) == SAID


@pytest.mark.parametrize(
    ("encoding", "noted"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "cp1252"),
    ],
)
def test_any_usual_encoding(encoding: str, noted: str) -> None:
    found = read(table(",").replace("quiet", "déjà vu").encode(encoding))
    assert said_in(found.one)[0] == ("user", "A déjà vu film, please")
    assert found.summary == ["data: read as csv" + (f"; encoding {noted}." if noted else ".")]


@pytest.mark.parametrize("title", ["", "Chat export 2026-03-01\n\n", "Chat export,,\n", "sep=,\n"])
@pytest.mark.parametrize("comma", [",", ", "])
def test_a_table_may_have_a_title_and_blanks_behind_its_commas(title: str, comma: str) -> None:
    found = read(title + table(comma).replace('"', '"'))
    assert said_in(found.one) == SAID
    assert ("before the header left out" in found.summary[0]) is bool(title)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1251", "Нужна лампа"),
        ("cp1254", "Doğru şey için güzel"),
        ("cp1255", "אני רוצה אור"),
        ("cp1250", "Szukam żółtej lampy"),
        ("gbk", "我想要台灯"),
    ],
)
def test_letters_of_another_code_page_are_not_misread(encoding: str, words: str) -> None:
    content = table(";").replace("A quiet film", words).encode(encoding)
    found = read(content)
    assert "Name the encoding of the file by --encoding" in found.refusal
    assert words in said_in(read(content, wanted=Wanted(encoding=encoding)).one)[0][1]


@pytest.mark.parametrize(
    "times",
    [
        ("3/1/2026 9:59 AM", "3/1/2026 10:05 AM"), ("01.03.2026 09:59", "01.03.2026 10:05"), ("31/01/2026 23:59", "01/02/2026 00:05"),
        ("2026-03-01 11:59 AM", "2026-03-01 12:05 PM"), ("Sun, 01 Mar 2026 09:59:00 +0100", "Sun, 01 Mar 2026 09:05:00 +0000"),
    ],
)  # fmt: skip
def test_rows_are_in_the_order_of_times_in_every_notation(times: tuple[str, str]) -> None:
    rows = [f'assistant,"{SAID[1][1]}","{times[1]}"', f'user,"{SAID[0][1]}","{times[0]}"']
    assert said_in(read("\n".join(["role,content,timestamp", *rows, ""])).one) == SAID[:2]


def test_times_that_leave_their_order_open_change_nothing() -> None:
    rows = [("user", "2026-03-01T08:59:00"), ("assistant", "2026-03-01T09:00:00+02:00")]
    text = "".join(f"{role},Hi,{time}\n" for role, time in rows)
    assert [role for role, _ in said_in(read(f"role,content,timestamp\n{text}").one)] == ["user", "assistant"]


def test_an_encoding_may_be_named() -> None:
    content = table(",").replace("quiet", "静か").encode("shift_jis")
    assert said_in(read(content, wanted=Wanted(encoding="shift_jis")).one)[0][1] == "A 静か film, please"
    with pytest.raises(OptionError, match="unknown encoding"):
        read(content, wanted=Wanted(encoding="klingon"))


def test_a_row_that_is_too_short_loses_its_conversation_alone() -> None:
    found = read(table(",") + "c2,user\nc3,user,Hi\n")
    assert [one.log["id"] for one in found.made] == ["c1", "c3"]
    assert str(found.faults[0]).endswith("data:6: 2 values, where the header has 3; 'c2' is left out")


def test_a_row_without_a_name_leaves_out_the_conversation_above() -> None:
    found = read("session,role,content\n1,user,Hi\n,assistant,Hello\n2,user,A lamp?\n2,assistant,Orla\n")
    assert [one.log["id"] for one in found.made] == ["2"]
    assert "'1' is left out" in str(found.faults[0])


@pytest.mark.parametrize(("user", "bot"), [("TRUE", "FALSE"), ("1", "0"), ("yes", "no")])
def test_a_column_may_say_by_true_and_false_who_speaks(user: str, bot: str) -> None:
    one = read(f"is_customer,text\n{user},A lamp?\n{bot},Orla\n").one
    assert said_in(one) == [("user", "A lamp?"), ("assistant", "Orla")]


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"PAR1xx", "Parquet"),
        (b"\x1f\x8bxx", "gzip"),
        ("User: Größe?\nBot: S\nUser: ".encode() + b"gr\xfcn", "--encoding"),
        (b"PK\x03\x04xx", "a zip file or a spreadsheet"),
        (b"%PDF-1", "a PDF"),
        (b"{\\rtf1 User: Hi", "RTF"),
        (b"\xd0\xcf\x11\xe0", "an old Word"),
        ("".join(f"c1;{role};{text}\n" for role, text in SAID), "holds a message, and no names of columns"),
        ("id,role,content\n1,user,Hi\n1,bot,Hello\n2,user,A lamp?\n2,bot,Orla\n", "--map conversation=id"),
        ("<p><b>User:</b> Hi</p>\n<p><b>Bot:</b> Hello</p>", "HTML"),
        ("steps:\n- user: A lamp?\n- bot: The Orla", "YAML"),
        ("10:01 [chat-1] USER: Hi\n10:02 [chat-2] USER: Hello\n10:03 [chat-1] BOT: Hi", "line of dashes"),
        ("Dr. Holt \u2014 10:30 AM\nDr. Okoye \u2014 11:00 AM\nDr. Weber \u2014 11:30 AM\n", "no speaker"),
        ("user,bot\nA lamp?,\n,The Orla\n", "nothing names their conversations"),
        ("\x1eUser\x1eHi\nand more", "no speakers"),
        ("Just words\nand more", "start each message on a new line with a name and a colon"),
    ],
)
def test_what_is_no_text_or_may_be_misread_is_refused_by_its_cause(content: str | bytes, detail: str) -> None:
    assert detail in read(content).refusal


TRANSCRIPTS = {
    "plain": "User: {0}\nBot: {1}\nUser: {2}\nBot: {3}\n",
    "capitals": "CUSTOMER: {0}\n\nAGENT: {1}\n\nCUSTOMER: {2}\n\nAGENT: {3}",
    "bold": "**User:** {0}\n**Assistant:** {1}\n**User:** {2}\n**Assistant:** {3}",
    "times": "[10:01:22] User: {0}\n[10:01:25] Bot: {1}\n[10:02] User: {2}\n[10:03 AM] Bot: {3}",
    "dates": "2026-03-01 10:00 User: {0}\n2026-03-01T10:01:00Z Bot: {1}\n3/1/26, 10:02 - User: {2}\n(10:03) Bot: {3}",
    "list": "- Human: {0}\n- AI: {1}\n- Human: {2}\n- AI: {3}",
    "ChatML": "<|im_start|>user\n{0}<|im_end|>\n<|im_start|>assistant\n{1}<|im_end|>\n<|im_start|>user\n{2}<|im_end|>\n<|im_start|>assistant\n{3}<|im_end|>\n",
    "Llama": "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n{0}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n{1}<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\n{2}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n{3}<|eot_id|>",
    "Gemma": "<bos><start_of_turn>user\n{0}<end_of_turn>\n<start_of_turn>model\n{1}<end_of_turn>\n<start_of_turn>user\n{2}<end_of_turn>\n<start_of_turn>model\n{3}",
    "Zephyr": "<|user|>\n{0}</s>\n<|assistant|>\n{1}</s>\n<|user|>\n{2}</s>\n<|assistant|>\n{3}</s>",
    "Mistral": "<s>[INST] {0} [/INST] {1} </s>[INST] {2} [/INST] {3} </s>",
    "KakaoTalk of a PC": "Bot 님과 카카오톡 대화\n저장한 날짜 : 2026-03-01 10:00:00\n\n--------------- 2026년 3월 1일 일요일 ---------------\n"
    "[User] [오후 2:30] {0}\n[Bot] [2:31 PM] {1}\n--------------- Monday, March 2, 2026 ---------------\n[User] [오전 9:30] {2}\n[Bot] [오전 9:31] {3}",
    "KakaoTalk of a phone": "Bot 카카오톡 대화\n저장한 날짜 : 2026년 3월 1일 오후 3:00\n\n2026년 3월 1일 오후 2:30\n2026년 3월 1일 오후 2:30, User : {0}\n"
    "2026년 3월 1일 오후 2:31, Bot : {1}\n2026. 3. 1. 오후 2:32: Bot님이 User님을 초대하였습니다.\n2026. 3. 1. 오후 2:33, User : {2}\n2026. 3. 1. 오후 2:34, Bot : {3}",
    "LINE": "[LINE] Chat history with Bot\nSaved on: 2026/03/01 12:00\n\n2026/03/01(Sun)\n10:01\tUser\t{0}\n10:02\tBot\t{1}\n\nMon, 02/03/2026\n"
    "10:03\tUser\t{2}\n10:04 AM\tBot\t{3}\n",
    "IRC": "10:00 <+user> {0}\n10:01 <@shopbot> {1}\n10:02 <+user> {2}\n10:03 <@shopbot> {3}\n",
    "Slack": "User\n  10:01 AM\n{0}\n:+1:\n1\n\n\nLund\nAPP  10:02 AM\n{1} (edited) \n\nUser\n:palm_tree:  10:03 AM\n{2}\n2 replies\n\n\nLund\nAPP  10:04 AM\n{3}\n",
    "Slack within a day": "Thread\nUser  10:01\n{0}\nLund Bot  10:02\n{1}\nUser  10:03\n{2}\nLund Bot  10:04\n{3}",
    "Telegram": "\U0001f98a Ines, [01.03.2026 10:01]\n{0}\n\nLundBot, [1 Mar 2026 at 10:02:33]\n{1}\n\n\U0001f98a Ines, [3/1/26 10:03 AM]\n{2}\n\nLundBot, [3/1/26 10:04 AM]\n{3}",
    "Discord": "User \u2014 Today at 10:01 AM\n{0}\nLund\nAPP\n \u2014 Today at 10:02 AM\n{1}\nUser \u2014 2/4/26, 10:03 AM\n{2}\nLund\nBOT\n \u2014 10:04\n{3}",
    "Teams": "[10:01] Holt, Ines\n{0}\n\n[10:02] Lund Bot\n{1}\n\n[Monday 10:03] Holt, Ines\n{2}\n\n[3/1 10:04 AM] Lund Bot\n{3}",
    "Teams of 2024": "Today\nA quiet... by Ines\n2:44 pm\nInes\n{0}\nTry by Lund Bot\nLund Bot\n2:45 pm\n{1}\n\n1\nNo by Ines\n2:46 pm\nInes\n{2}\nThen by Lund Bot\nLund Bot\n2:47 pm\n{3}",
    "bold lines": "**User**\n{0}\n\n**Claude**\n{1}\n\n**User**\n{2}\n\n**Claude**\n{3}",
    "dos": "User: {0}\r\nBot: {1}\r\nUser: {2}\r\nBot: {3}\r\n",
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcripts(name: str) -> None:
    found = read(TRANSCRIPTS[name].format(*(text for _, text in SAID)))
    assert found.summary == ["data: read as transcript."]
    assert said_in(found.one) == SAID


def test_a_tag_of_a_template_in_a_reply_is_no_message() -> None:
    one = read("User: Hi\nBot: Hello <|user|>\nUser: What?\nBot: <|assistant|> Sorry.\n").one
    assert [text for _, text in said_in(one)][1::2] == ["Hello <|user|>", "<|assistant|> Sorry."]


def test_an_unknown_role_of_a_template_is_asked_for() -> None:
    turn = "<|im_start|>{}\n{}<|im_end|>\n"
    said = [*SAID[:1], ("sommelier", "What goes with fish?"), *SAID[1:], ("sommelier", "And with cheese?")]
    with pytest.raises(OptionError) as refused:
        read("".join(turn.format(*one) for one in said))
    assert refused.value.option == "roles"


def test_a_message_may_have_lines() -> None:
    one = read("A chat of ours\n\nUser: Hi\nthere\n\n- one: 1\nBot: Hello\n").one
    assert said_in(one) == [("user", "Hi\nthere\n\n- one: 1"), ("assistant", "Hello")]


TALK = "{0}: A lamp for my desk?\n{1}: How bright should it be?\n{0}: Bright, but no blue light\n{1}: Then the Orla.\n"
LAMP = [
    ("user", "A lamp for my desk?"),
    ("assistant", "How bright should it be?"),
    ("user", "Bright, but no blue light"),
    ("assistant", "Then the Orla."),
]


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        ("Nutzerin", "Beraterin"), ("Cliente", "Vendedor"), ("Patron", "Librarian"), ("客户", "客服"), ("GUEST_7", "SYSTEM"),
        ("Ines", "LampBot"), ("Mr. Okoye", "Sales Assistant"), ("mary ann", "bot"), ("Ines (customer)", "Tom (support)"),
        ("Ines", "Customer Service"), ("User 3", "Help Desk"), ("Ines (10:02)", "Agent (10:03)"), ("**Ines**", "**AI**"),
        ("User", "mistral:7b"), ("User", "Bot A"), ("Ines", "Agente de soporte"), ("Client", "Service client"), ("Customer - Ines", "Agent - Tom"), ("+49 170 1234567", "Bot"), ("Müşteri", "Temsilci"), ("दीपा", "Bot"), ("Ines  Holt", "Bot"), ("Ines (she/her)", "Bot"), ("[10:01] 오세훈", "[10:02] Bot"),
    ],
)  # fmt: skip
def test_names_of_roles_are_known_and_one_name_that_is_open_is_the_other(user: str, assistant: str) -> None:
    assert said_in(read(TALK.format(user, assistant)).one) == LAMP


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_names_in_lines_of_their_own_are_found(end: str) -> None:
    found = read(TALK.format("Ines", "Bot").replace(": ", ":\n").replace("\n", end))
    assert [role for role, _ in said_in(found.one)] == [role for role, _ in LAMP]


@pytest.mark.parametrize(
    "text",
    [
        TALK.format("Ines", "Tom"),
        TALK.format("P1", "P2"),
        TALK.format("User 1", "User 2"),
        TALK.format("Agent A1", "Agent A2"),
        TALK.format("User", "Bot") + "Ines: That one is too dear\nBot: Then Mira.\nInes: Fine, thank you",
        "User: A person, please\nInes: Hello, I am Ines\nUser: A lamp?\nInes: Which one?\nBot: Rate this chat.",
        "Ines: Hi\nBot: Hello\n",
        TALK.format("User", "Bot") + "Ines: I would take that one as well\n",
        TALK.format("Ines from the lamp shop", "Bot"),
        TALK.format("User", "Holt, Ines"),
        TALK.format("😀", "Bot"),
        TALK.format("1. Ines", "2. Bot"),
        TALK.format("4711", "Bot"),
        TALK.format("Moi", "Service client"),
        "USUARIO: Hola, una tienda\nASISTENTE VIRTUAL: La Orla\nUSUARIO: Gracias\n",
        TALK.format("User", "Bot") + "User: It was bad\nSupport: nobody answered me\nBot: Sorry\n",
        TALK.format("[10:02] User", "[10:03] Bot") + "[10:04] Ines: Or the Mira",
    ],
)
def test_a_name_that_may_be_anybodys_is_asked_for(text: str) -> None:
    with pytest.raises(OptionError) as refused:
        read(text)
    assert refused.value.option == "roles"


def test_what_is_asked_for_can_be_given() -> None:
    content = TALK.format("Ines", "Tom").replace("Orla.", "Orla.\nNote: it is out of stock\nNote: until May")
    wanted = Wanted(roles={"ines": "user", "tom": "assistant", "note": "text"})
    *first, last = said_in(read(content, wanted=wanted).one)
    assert first == LAMP[:-1]
    assert last == ("assistant", "Then the Orla.\nNote: it is out of stock\nNote: until May")


def test_fields_of_items_belong_to_their_message() -> None:
    fields = "Name: Orla\nPrice: 49 EUR\n\nName: Mira\nPrice: 59 EUR"
    content = TALK.format("User", "Bot").replace("How bright", f"Two:\n{fields}\nHow bright")
    assert said_in(read(content).one)[1] == ("assistant", f"Two:\n{fields}\nHow bright should it be?")


@pytest.mark.parametrize(
    "headings",
    [
        ("0", "1"),
        ("#1", "#2"),
        ("Conversation_1:", "Conversation_2:"),
        ("Session: a1", "Session: b2"),
        ("Chat no. 4", "Chat no. 5"),
        ("# Lamps Conversation", "# Chairs Conversation"),
        ("Ticket #12", "Ticket #13"),
        ("Customer ID: a-12", "Customer ID: b-7"),
    ],
)
def test_headings_of_every_kind_part_conversations(headings: tuple[str, str]) -> None:
    talk = TALK.format("User", "Agent")
    found = read("\n\n".join(f"{heading}\n\n{talk}" for heading in headings))
    assert [said_in(one) for one in found.made] == [LAMP, LAMP]


@pytest.mark.parametrize(
    "stamp", ["12/03/2026, 10:1{n} - ", "[12/03/26, 10:15:0{n}] ", "\u200e[3/12/26, 10:15:0{n}\u202fAM] ", "12.03.26, 10:1{n} - "]
)  # fmt: skip
def test_a_messengers_notices_are_counted_and_said_by_nobody(stamp: str) -> None:
    said = [
        "Messages and calls are end-to-end encrypted.",
        "Anna Weber: A tent, please",
        "Alpin Shop: For two?",
        "Alpin Shop changed the group",
        "Anna Weber: Yes\nand light <This message was edited>",
        "Alpin Shop: This message was deleted.",
    ]
    text = "\n".join(stamp.replace("{n}", str(n)) + line for n, line in enumerate(said))
    roles = {"anna weber": "user", "alpin shop": "assistant"}
    one = read(text, wanted=Wanted(roles=roles)).one
    assert said_in(one) == [("user", "A tent, please"), ("assistant", "For two?"), ("user", "Yes\nand light")]
    assert one.left == {"lines by the messenger itself": 3}
    assert all("created_at" in message for message in one.log["messages"])


CHAT = ["User: A lamp for my desk?", "Bot: How bright should it be?", "User: Bright, but no blue light", "Bot: Then the Orla."]  # fmt: skip
CUE = "00:00:0{0},000 --> 00:00:0{1},500"


@pytest.mark.parametrize(
    "text",
    [
        "Customer: Ines\nAgent: Tom\nDate: 3 May\n\n" + TALK.format("Ines", "Tom"),
        "WEBVTT\n\n" + "".join(f"{CUE.format(at, at)}\n{line}\n\n" for at, line in enumerate(TALK.format("User", "Bot").splitlines())),
        "".join(f"{at}\n{CUE.format(at, at)}\n{line}\n\n" for at, line in enumerate(TALK.format("User", "Bot").splitlines())),
        "| role | text |\n|---|:--|\n" + "".join(f"| {role} | {text} |\n" for role, text in LAMP),
        "\n---\n".join(CHAT),
        *("".join(f"{mark.format(at)}\n{line}\n" for at, line in enumerate(CHAT)) for mark in ("Turn {0}", "10:0{0}", "--- Round {0} ---")),
    ],
)  # fmt: skip
def test_what_stands_around_messages_is_none_of_them(text: str) -> None:
    assert said_in(read(text).one) == LAMP


def test_replies_without_a_user_are_told() -> None:
    found = read("Bot: Try the Lund.\nBot: Or the Alta.\n---\nUser: Boots?\nBot: The Alta.\n")
    assert found.summary[1].startswith("data: 1 conversation without a message by the user.")


def test_a_name_with_a_comma_can_be_given() -> None:
    given = pairs(["Holt, Ines=user,Bot=assistant", "Note=text"], "roles")
    assert given == {"Holt, Ines": "user", "Bot": "assistant", "Note": "text"}
    with pytest.raises(OptionError, match="role:who: write it as"):
        pairs(["content=what,role:who"], "map")


@pytest.mark.parametrize(
    "notice",
    [
        "[Chat ended]", "Agent has joined", "This chat has been transferred to Sales.", "Bot is typing...", "Delivered", "Seen 10:02",
        "-- Lea has left the chat --", "*** Visitor 12 joined the chat ***", "[Agent is typing]", "✓✓ Read", "You are now connected to Lea.",
        "Session timed out", "Chat closed by customer", "(10:02) Lea has left the conversation", "Lea schreibt ...",
        "10:02 -!- lea [l@x] has joined #lamps", "Kunde hat den Chat verlassen", "Lea est en train d'écrire",
    ],
)  # fmt: skip
def test_what_a_program_writes_about_a_chat_is_no_part_of_a_message(notice: str) -> None:
    text = "\n".join([notice, CHAT[0], notice, *CHAT[1:3], notice, CHAT[3], notice])
    one = read(text).one
    assert said_in(one) == LAMP
    assert one.left == {"lines by the messenger itself": 4}


@pytest.mark.parametrize(
    "words",
    [
        "The call was transferred to another agent and nobody helped me there.", "My session timed out", "[2 left in stock]", "[View product]",
        "Your order has been delivered.", "Chat with us\nChat 24/7\n- Chat\n- Phone", "Session 2 starts at ten", "Only 2 left!", '"Bot: no"\nhe said',
        "> Bot: no\nyou wrote", "Orla: it is bright and cheap.\nMira: it is dim but nice.", "Model: X2\nSystem: Linux\nService: free\nPrice: 9 EUR",
        "https://shop.example/orla: new", "at 10:30: open", "42\n10:30", "Note: it is out of stock until May", "Battery life: it lasts ten hours", "The Matrix: a film about a dream",
        "Here you are:\nOrla: it is bright and cheap.", "Ines, [01.03.2026 10:01]\nhi\n\nTom, [01.03.2026 10:02]\nho",
    ],
)  # fmt: skip
def test_words_that_only_look_like_another_line_stay_in_their_message(words: str) -> None:
    text = "\n".join([*CHAT[:2], words, *CHAT[2:]])
    assert said_in(read(text).one)[1] == ("assistant", f"{LAMP[1][1]}\n{words}")


@pytest.mark.parametrize(
    "heading",
    [
        "=== Conversation {0} ===", "--- Chat {0} ---", "**Conversation {0}**", "[Session {0}]", "Example {0}:", "Gespräch {0}", "Fall {0}",
        "2026-03-0{0}", "Conversation {0} - Ines", "Conversation {0} (2 May)", "# Chat with Ines", "* * *", "Chat started: 2 May 2026, 10:00",
        "Session Start: 2026-03-0{0} 10:00", "--- BEGIN CONVERSATION ---", "End of the chat\nBeginning of the chat", "---\nA lamp for Ines\n---",
    ],
)  # fmt: skip
def test_headings_part_conversations_without_empty_lines(heading: str) -> None:
    found = read("".join(f"{heading.format(at)}\n{TALK.format('User', 'Bot')}" for at in (1, 2)))
    assert [said_in(one) for one in found.made] == [LAMP, LAMP]


@pytest.mark.parametrize("sign", ["---", "***", "### Session 2"])
@pytest.mark.parametrize(("at", "words"), [(2, "A list"), (2, "Orla: bright"), (4, "Which one?")])
def test_a_line_that_may_part_a_message_is_asked_for(sign: str, at: int, words: str) -> None:
    found = read("\n".join([*CHAT[:at], sign, words, *CHAT[at:]]))
    assert f"line {at + 1} stands text without a speaker" in found.refusal


def test_words_after_the_dashes_of_a_text_with_a_title_are_counted() -> None:
    one = read("\n".join(["A lamp", "---", *CHAT, "---", "Exported from the shop"])).one
    assert said_in(one) == LAMP
    assert one.left == {"lines before the first message, or after dashes": 2}


@pytest.mark.parametrize(("user", "bot"), [("User", "Bot"), ("Ines", "Shop")])
def test_a_name_without_a_time_is_nobodys_where_speakers_have_one(user: str, bot: str) -> None:
    names = [f"[10:0{at}] {name}" for at, name in enumerate((user, bot, user, bot))]
    words = "\nSupport: nobody answered me\nfor two: bright"
    said = [f"{name}: {text}{words}" for name, (_, text) in zip(names, LAMP, strict=True)]
    one = read("\n".join(said), wanted=Wanted(roles={"ines": "user", "shop": "assistant"})).one
    assert said_in(one) == [(role, text + words) for role, text in LAMP]


@pytest.mark.parametrize(
    "end",
    ["Ines: Hello, Ines here. Which lamp?\n", "Ines: Hello, Ines here. Which lamp?\nUser: The Orla\nBot: Rate this chat.\n"],
)  # fmt: skip
def test_who_alone_answers_the_user_is_asked_for(end: str) -> None:
    with pytest.raises(OptionError, match="--roles Ines=assistant"):
        read(TALK.format("User", "Bot") + "User: A person, please\n" + end)


@pytest.mark.parametrize(
    ("user", "assistant"),
    [
        ("1/3/26 10:00 a. m. - {0}", "1/3/26 10:01 p. m. - {0}"), ("1.3.2026 klo 10.00 - {0}", "1.3.2026 klo 10.01 - {0}"),
        ("2026년 3월 1일 오전 10:00, {0} ", "2026년 3월 1일 오후 10:01, {0} "), ("[01/03/26, 10:00:01] ~\u202f{0}", "[01/03/26, 10:00:05] {0}"),
        ("\u200f[1\u200f/3\u200f/2026\u060c 10:00:01] {0}", "\u200f[1\u200f/3\u200f/2026\u060c 10:00:05] {0}"), ("( 6s ) {0}", "( 1m 2s ) {0}"),
        ("Mar 1, 2026, 10:00 AM - {0}", "1 March 2026 10:00 {0}"), ("{0} [2026-03-01 10:01:00]", "{0} 10:01:30"), ("{0} (10:01)", "{0} - 10:02 AM"),
    ],
)  # fmt: skip
def test_times_of_every_kind_are_kept_before_names_and_behind(user: str, assistant: str) -> None:
    wanted = Wanted(roles={"ines": "user", "orla shop": "assistant"})
    one = read(TALK.format(user.format("Ines"), assistant.format("Orla Shop")), wanted=wanted).one
    assert said_in(one) == LAMP
    assert all("created_at" in message for message in one.log["messages"])
