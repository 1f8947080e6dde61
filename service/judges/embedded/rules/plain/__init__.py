"""Plain faults of replies, one rule a module: each declares `RULE` (`../rule.py`)."""
