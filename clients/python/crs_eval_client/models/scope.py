from enum import StrEnum


class Scope(StrEnum):
    LAST = "last"
    SESSION = "session"
    TURN = "turn"

    def __str__(self) -> str:
        return str(self.value)
