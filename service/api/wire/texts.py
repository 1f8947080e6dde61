"""Texts that several wire models bound alike."""

from typing import Annotated

from pydantic import StringConstraints

NonBlank = Annotated[str, StringConstraints(pattern=r"\S", max_length=2000)]
