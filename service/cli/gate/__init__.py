"""Decide whether a recommender is good enough, and whether it got worse: verdicts that are computed."""
