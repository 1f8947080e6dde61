"""Names of the counts beside a verdict on coherence."""

SOUND = "belonging"
"""Count of coherence's verdict: the mean probability, at even odds, that a reply has no fault."""
KEPT = "kept"
"""Count of coherence's verdict: the mean share of its points that a reply keeps on the home factor of its costliest reported fault."""
ACCEPTED, REJECTED, OBJECTED, CONTENT = "accepted", "rejected", "objected", "content"
"""Counts of coherence's verdict: the shares of the user's later messages that accept, reject or complain, and how content
they sound, 0 to 1."""
REPEATED = "repeated"
"""Count of coherence's verdict: how much of what the user says was said before, 0 to 1."""
