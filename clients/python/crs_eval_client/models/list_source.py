from enum import StrEnum


class ListSource(StrEnum):
    AUTO = "auto"
    LISTS = "lists"
    TEXT = "text"

    def __str__(self) -> str:
        return str(self.value)
