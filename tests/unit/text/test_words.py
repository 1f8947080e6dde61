from service.text.words import excerpt, sentences, words


def test_words_fold_case_and_keep_contractions() -> None:
    assert words("I DON\u2019T know 2049") == ["i", "don't", "know", "2049"]


def test_sentences_cover_lines_and_full_stops_without_blanks() -> None:
    text = " One thing. Another!\n\n third "
    assert [sentence.of(text) for sentence in sentences(text)] == ["One thing.", "Another!", "third"]


def test_an_excerpt_is_an_exact_piece_cut_at_a_word() -> None:
    text = "word " * 60
    piece = excerpt(text, 42)
    assert piece in text
    assert len(piece) <= 42
    assert piece.endswith("word")


def test_an_excerpt_of_one_endless_word_is_cut_anyway() -> None:
    assert excerpt("x" * 500, 50) == "x" * 50


def test_an_excerpt_of_nothing_is_empty() -> None:
    assert excerpt(" \n ") == ""
