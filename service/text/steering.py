"""Text inside a log that talks to the judge instead of the user."""

import re
from bisect import bisect_left

from .spans import Span, blank
from .words import sentences

_JUDGED = (
    r"(?:this|the|my|our|that) (?:\w+ ){0,2}?(?:conversation|dialog(?:ue)?|chat|log|transcript|session|response|"
    r"reply|replies|answers?|assistant|recommender|chatbot|bot|system|model|evaluation|rubric|factors?)"
)
_PATTERNS = (
    r"\b(?:ignore|disregard|forget|override|bypass|skip) (?:\w+ ){0,4}?(?:instructions?|rubrics?|prompts?|criteria|"
    r"guidelines|directions|rules given|scale)\b",
    r"\b(?:you are|act as|as|dear|attention|attn|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))"
    r"(?: now)?,? (?:the |an? |any |all )?(?:ai |llm |automated |automatic |impartial )?"
    r"(?:judge|evaluator|grader|rater|assessor|evaluation model|scoring (?:model|system))s?\b",
    r"\b(?:rate|score|grade|mark|evaluate|assess|judge) " + _JUDGED + r"\b[^.!?\n]{0,60}?"
    r"\b(?:\d+|perfect|maximum|highest|top|full|excellent|best|lowest|zero)\b",
    r"\b(?:give|assign|award|grant) (?:"
    + _JUDGED
    + r"|me|us|yourself|(?=full|maximum|top|perfect|highest))\b"
    r"[^.!?\n]{0,40}?\b(?:full marks|top marks|(?:maximum|highest|perfect|top|lowest|full) (?:possible )?"
    r"(?:scores?|ratings?|grades?|points)|scores? of \d|ratings? of \d|grade of \d)",
    r"\b(?:all|every|each) (?:the )?(?:factors?|scores?|criteria|dimensions?) (?:must|should|shall|are to|to) be\b",
    r"\b(?:final|overall) (?:score|verdict|grade|judg(?:e)?ment)\s*[:=]\s*[\"'\[{(]?\d",
    r"[\"']?\b(?:score|level|verdict|rating)[\"']?\s*:\s*\d+(?:\.\d+)?\s*[,}]",
    r"<\s*/?\s*(?:system|instructions?|log|transcript|conversation|history|interaction|verdict|score|rubric|prompt)"
    r"\s*>",
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>",
    r"\[/?(?:INST|SYSTEM|SYS)\]|<</?SYS>>",
    r"^\s{0,3}(?:#{1,4}|-{3,}|={3,}) ?(?:system|instructions?|new instructions?|end of (?:the )?(?:log|transcript|"
    r"conversation|input)|begin|evaluation|verdict)\b",
    r"\b(?:end|begin(?:ning)?) of (?:the )?(?:log|transcript|conversation|evaluation|untrusted (?:text|input))\b\s*"
    r"(?:[:.\]-]|$)",
    r"\b(?:system|developer) prompt\b",
    r"\bnew (?:system )?instructions?\s*:",
)
STEERING = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE | re.MULTILINE)


#: Every pattern needs one of these: most messages hold none, and are done with at once.
_STEMS = (
    "instruction", "rubric", "prompt", "criteria", "guideline", "direction", "rules given", "scale", "judg", "evaluat", "grade",
    "rater", "assess", "scor", "rating", "marks", "points", "verdict", "rate ", "mark ", "level", "system", "transcript", "<", "[inst",
    "[/inst", "[sys", "#", "---", "===", "end of", "begin",
)  # fmt: skip


def find_steering(text: str) -> list[Span]:
    """The stretches that give orders to a judge, forge its delimiters or its answer, in order.

    A user may rate an item or ask for ratings of one: only the judging of the conversation, or
    of whoever speaks in it, counts."""
    lowered = text.lower()
    if not any(stem in lowered for stem in _STEMS):
        return []
    return [Span(match.start(), match.end(), "steering") for match in STEERING.finditer(text)]


def without_steering(text: str, found: list[Span]) -> str:
    """The text with every steering attempt blanked to the end of its sentence, positions kept, so that
    what is addressed to a judge can neither earn nor cost a point. What stands before it in the
    sentence stays: an order must not hide a fault."""
    if not found:
        return text
    ends = [sentence.end for sentence in sentences(text)]
    reaches = []
    for span in found:
        index = bisect_left(ends, span.end)
        reaches.append(Span(span.start, ends[index] if index < len(ends) else span.end, span.kind))
    return blank(text, reaches)
