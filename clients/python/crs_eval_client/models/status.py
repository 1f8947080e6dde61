from enum import StrEnum


class Status(StrEnum):
    FAILED = "failed"
    NOT_ASSESSABLE = "not_assessable"
    SCORED = "scored"

    def __str__(self) -> str:
        return str(self.value)
