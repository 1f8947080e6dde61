"""Word pieces as the reference tokenizer cuts them."""

import random
import unicodedata

import pytest
from tokenizers import Tokenizer as Reference
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from service.encoder.encoder import END, FOLDER, START, UNKNOWN, tokenizer

VOCABULARY = {
    piece: number for number, piece in enumerate((FOLDER / "vocabulary.txt").read_text("utf-8").splitlines())
}
REFERENCE = Reference(WordPiece(VOCABULARY, unk_token="[UNK]", max_input_chars_per_word=100))
REFERENCE.normalizer = BertNormalizer(lowercase=True)
REFERENCE.pre_tokenizer = BertPreTokenizer()
OURS = tokenizer()
#: Letters, accents, marks, scripts, symbols, blanks and controls that a text may hold.
CHARACTERS = (
    "abcXYZ 019 éÉñßøİΣςÅ ﬁ½Ⅷ .,!?'\"-_#@()[]{}<>/\\|~^$€£ \u00a0\u2009\u200b\u200d\u3000\t\n\r"
    "\x00\x07\x0b\x1f\x7f\x85\ufeff\ufffd \u0301\u0327\u20dd 電影한국어ぁアдЖא\u05b0\u0627\u064bक\u093fไ 😀🏽\U0001f468"
)  # fmt: skip
TEXTS = [
    'I\'d love something like "The Quiet Harbour (1999)"!',
    "Ich hätte gern einen ruhigen Film über das Meer, bitte.",
    "我想看一部关于大海的电影。",
    "word" * 30,
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_those_of_the_reference(text: str) -> None:
    assert OURS.pieces(text) == REFERENCE.encode(text).ids


def test_pieces_of_made_up_texts_are_those_of_the_reference() -> None:
    chance = random.Random(5)
    for _ in range(1000):
        text = "".join(chance.choice(CHARACTERS) for _ in range(chance.randrange(40)))
        assert OURS.pieces(text) == REFERENCE.encode(text).ids, ascii(text)


def test_every_settled_character_is_cut_as_by_the_reference() -> None:
    # The reference knows an older Unicode: letters and marks that were added since are left out, as are surrogates.
    codes = [code for code in range(0x110000) if unicodedata.category(chr(code)) != "Cs"]
    added = [
        code
        for start in range(0, len(codes), 256)
        # One text of many words takes less than many texts; only where it differs is each looked at by itself.
        if _differ(stretch := codes[start : start + 256])
        for code in stretch
        if _differ([code])
    ]
    assert len(added) < 1000
    assert min(added) > 0x600


def _differ(codes: list[int]) -> bool:
    text = " ".join(f"a{chr(code)}b" for code in codes)
    found: list[int] = REFERENCE.encode(text).ids
    return OURS.pieces(text) != found


def test_names_of_special_pieces_are_plain_text() -> None:
    assert START not in OURS.pieces("[CLS] and [SEP]")
    assert END not in OURS.pieces("[CLS] and [SEP]")


def test_half_characters_and_endless_words_are_no_trouble() -> None:
    assert OURS.pieces("\ud800 a") == [VOCABULARY["a"]]
    assert OURS.pieces("x" * 1_000_000) == [UNKNOWN]
