from enum import StrEnum


class Layout(StrEnum):
    AUTO = "auto"
    FACTOR_FIRST = "factor-first"
    LOG_FIRST = "log-first"

    def __str__(self) -> str:
        return str(self.value)
