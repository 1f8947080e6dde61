import pytest

from service.prompts import UnknownName, render


def test_every_name_is_replaced_wherever_it_stands() -> None:
    assert render("{{a}}, {{b}} and {{a}}", a="1", b="2") == "1, 2 and 1"


def test_a_missing_or_an_extra_name_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownName, match="b"):
        render("{{a}} {{b}}", a="1")
    with pytest.raises(UnknownName, match="c"):
        render("{{a}}", a="1", c="2")


def test_a_value_cannot_bring_in_another_name() -> None:
    assert render("{{a}}{{b}}", a="{{b}}", b="x") == "{{b}}x"
