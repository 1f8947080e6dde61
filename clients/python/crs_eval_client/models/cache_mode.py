from enum import StrEnum


class CacheMode(StrEnum):
    OFF = "off"
    ONLY = "only"
    REFRESH = "refresh"
    USE = "use"

    def __str__(self) -> str:
        return str(self.value)
