from enum import StrEnum


class SpeechStatus(StrEnum):
    FAILED = "failed"
    SCORED = "scored"

    def __str__(self) -> str:
        return str(self.value)
