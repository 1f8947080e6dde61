"""Names of the counts beside a verdict on coherence."""

SOUND = "belonging"
"""Count of coherence's verdict: the mean probability, at even odds, that a reply has no fault."""
KEPT = "kept"
"""Count of coherence's verdict: the mean share of its points that a reply keeps on the home factor of its costliest reported fault."""
REACTIONS = {"accepted": "accepts", "rejected": "rejects", "objected": "objects"}
"""Counts of coherence's verdict: the mean probability that a later message of the user does this."""
