import pytest
from pydantic import ValidationError

from service.simulators.http_recommender import _short, _webhook_reply


@pytest.mark.parametrize("body", [b"[]", b'"hi"', b"null"])
def test_a_webhook_that_answers_no_object_is_told_so_without_names_of_the_code(body: bytes) -> None:
    with pytest.raises(ValidationError) as caught:
        _webhook_reply(body)
    assert _short(caught.value) == "the body: should be an object"
