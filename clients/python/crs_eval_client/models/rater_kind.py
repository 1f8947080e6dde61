from enum import StrEnum


class RaterKind(StrEnum):
    HUMAN = "human"
    JUDGE = "judge"

    def __str__(self) -> str:
        return str(self.value)
