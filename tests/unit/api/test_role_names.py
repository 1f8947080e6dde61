"""Roles by the names that other formats give them are refused with the right name."""

import pytest

from service.api.body import checked
from service.api.wire.log import Log
from service.errors import InvalidRequest


def fix_for(role: object) -> str:
    with pytest.raises(InvalidRequest) as refused:
        checked(Log, {"messages": [{"role": "user", "content": "Hi"}, {"role": role, "content": "Hello"}]})
    (error,) = refused.value.errors
    assert error.pointer == "/messages/1/role"
    return error.fix


@pytest.mark.parametrize(
    ("role", "meant"),
    [
        ("bot", "assistant"), ("AI", "assistant"), ("agent", "assistant"), ("Recommender", "assistant"),
        ("customer", "user"), ("Human", "user"), ("Assistant", "assistant"),
    ],
)  # fmt: skip
def test_the_role_that_is_meant_is_named_alone(role: str, meant: str) -> None:
    fix = fix_for(role)
    assert [name for name in ("user", "assistant", "tool") if f"'{name}'" in fix] == [meant]


def test_a_recommender_is_no_system() -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "system", "content": "Hello, what do you like?"}]
    with pytest.raises(InvalidRequest) as refused:
        checked(Log, {"messages": talk})
    assert "'assistant'" in refused.value.errors[0].fix
    instruction = {"role": "system", "content": "Be brief."}
    checked(Log, {"messages": [instruction, talk[0]]})
    checked(Log, {"messages": [talk[0], instruction, {"role": "assistant", "content": "Hello"}]})


@pytest.mark.parametrize("role", ["moderator", "", 3, None])
def test_other_names_get_all_roles(role: object) -> None:
    assert all(f"'{name}'" in fix_for(role) for name in ("user", "assistant", "tool"))
