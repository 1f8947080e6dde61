from enum import StrEnum


class Matching(StrEnum):
    PUBLISHED = "published"
    STRICT = "strict"

    def __str__(self) -> str:
        return str(self.value)
