"""Many factors over one log: routing to judges, summaries, comparability."""
