from enum import StrEnum


class Label(StrEnum):
    AGE_GROUP = "age_group"
    ATTRIBUTES = "attributes"
    DOMAIN = "domain"
    PERSONA = "persona"
    SYSTEM = "system"

    def __str__(self) -> str:
        return str(self.value)
