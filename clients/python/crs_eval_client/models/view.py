from enum import StrEnum


class View(StrEnum):
    LISTS = "lists"
    TEXT = "text"
    USER = "user"

    def __str__(self) -> str:
        return str(self.value)
