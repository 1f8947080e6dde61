"""The check of prose finds what house style forbids, and nothing else."""

import json

import pytest

from tools.prose import MOST_LINES, MOST_WORDS, comments, data_comments, described, docstrings, findings

LONG = " ".join(["word"] * (MOST_WORDS + 1)) + "."


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (f"A line.\n\n{LONG}", "3: a sentence of 25 words"),
        (f"- short\n- {LONG}", "2: a sentence of 25 words"),
        ("\n".join(["line"] * (MOST_LINES + 1)), "1: a paragraph of 7 lines"),
        ("words of a list: " * 5 + "it goes on; and " + "on " * 9, "1: a sentence of 33 words"),
        ("(These are seven words in brackets here.) " + LONG, "1: a sentence of 25 words"),
        ("Requests are told apart.", "1: “told apart”: write distinguished"),
    ],
)
def test_a_fault_is_found_with_its_line(page: str, said: str) -> None:
    (found,) = findings(page)
    assert f"{found.line}: {found.fault}".startswith(said)


@pytest.mark.parametrize(
    "page",
    [
        f"```\n{LONG}\n```",
        f"    {LONG}",
        f"| a |\n| --- |\n| {LONG} |",
        f"# {LONG}",
        f"> {LONG}",
        f"Fields are {', '.join(['`a`'] * 40)} and `b`.",
        "Fifteen words and then a stop end here. " * 2,
        "A path like `told apart` is code.",
    ],
)
def test_code_tables_headings_and_short_sentences_pass(page: str) -> None:
    assert not list(findings(page))


def test_a_docstring_that_begins_with_a_question_word_is_found() -> None:
    source = '"""A module."""\n\n\ndef f() -> None:\n    """What it does."""\n\n\ndef g() -> None:\n    """Do it."""\n'
    assert [found.line for found in docstrings(source)] == [5]


@pytest.mark.parametrize("fault", [LONG, "Asks anew.", f"Values: one; {LONG}"])
def test_so_is_one_with_a_fault_of_pages(fault: str) -> None:
    assert [found.line for found in docstrings(f'"""A module.\n\n{fault}\n"""\n')] == [3]


@pytest.mark.parametrize("text", ["├── " + LONG, "Values: " + "one and the other; " * 20])
def test_trees_and_lists_of_clauses_in_docstrings_pass(text: str) -> None:
    assert not list(docstrings(f'"""A tree.\n\n{text}\n"""\n'))


def test_so_is_one_of_a_value() -> None:
    assert [
        found.line
        for found in docstrings(
            'MOST = 3\n"""How many there may be."""\nLEAST = 1\n"""The least number."""\n'
        )
    ] == [2]


@pytest.mark.parametrize("comment", ["#: Where it is.", "    #: Whether it counts.", "# How it is kept."])
def test_so_is_a_comment(comment: str) -> None:
    assert [
        found.line for found in comments(f"A = 1\n{comment}\n# What goes on in the next line.\nB = 2\n")
    ] == [2]
    assert [found.line for found in comments(f"A = 1\n\n{comment} Begins anew.\n")] == [3, 3]


@pytest.mark.parametrize(
    "line", ["# Where none is given, the default counts.", '"# What a string says"', "#: Number of values."]
)
def test_conditions_strings_and_nouns_pass(line: str) -> None:
    assert not list(comments(f"A = 1\n{line}\n"))


def test_a_comment_of_a_data_file_is_read_where_its_block_begins() -> None:
    source = '# What a list holds.\nlist = ["# What a string says"]\n# Words of praise,\n# which tell nothing.\n# Where it holds.\n'
    assert [found.line for found in data_comments(source)] == [1]


@pytest.mark.parametrize("text", ["How many there are.", LONG, "Asks anew."])
def test_so_is_a_fault_of_a_contracts_description(text: str) -> None:
    contract = json.dumps({"properties": {"n": {"type": "integer", "description": text}}}, indent=2)
    assert [found.line for found in described(contract)] == [5]


def test_values_of_a_contract_that_are_no_descriptions_pass() -> None:
    assert not list(
        described(
            json.dumps({"example": "How many there are.", "description": "Number of values."}, indent=2)
        )
    )
