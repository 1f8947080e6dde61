"""What an object works out when first asked, and keeps."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):  # noqa: N801 - read as a decorator
    """`functools.cached_property` as Python has it from 3.12 on, without a lock: to work a thing out twice at worst takes
    less than to take a lock each time."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, of: type) -> Self: ...
    @overload
    def __get__(self, owner: object, of: type) -> T: ...
    def __get__(self, owner: object | None, of: type) -> T | Self:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._work_out(owner)
        return value
