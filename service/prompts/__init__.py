"""Prompts as text files, rendered strictly; and log text made harmless before it enters one."""

from .hostile import neutralise, one_line
from .template import prompt, render

__all__ = ["neutralise", "one_line", "prompt", "render"]
