"""JSON as a browser writes it. That a browser does is seen in `tests/browser`."""

import json

import pytest

from service.cli.browser_json import browser_json, browser_number, script_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.0, "4"), (-0.0, "0"), (2.6, "2.6"), (1 / 3, "0.3333333333333333"), (-1.5, "-1.5"), (5e-05, "0.00005"),
        (1e-06, "0.000001"), (1e-07, "1e-7"), (1.25e-09, "1.25e-9"), (1e16, "10000000000000000"),
        (123456789012345680000.0, "123456789012345680000"), (1e21, "1e+21"), (1.5e300, "1.5e+300"),
    ],
)  # fmt: skip
def test_numbers(value: float, text: str) -> None:
    assert browser_number(value) == text
    assert float(text) == value


def test_values() -> None:
    value = {"a": [1, True, None, 'é\n"\\\x01'], "b": {}, "c": 2.0}
    assert browser_json(value) == '{"a":[1,true,null,"é\\n\\"\\\\\\u0001"],"b":{},"c":2}'
    assert json.loads(browser_json(value)) == value


def test_nothing_ends_a_script() -> None:
    hostile = ["</script><!--", "a\u2028b\u2029", "&amp;", "\ud800"]
    text = script_json(hostile)
    assert json.loads(text) == hostile
    assert text.isascii()
    assert not set("<>&") & set(text)
