"""The corpus of faults: synthetic conversations with labelled replies, and its check."""
