"""The second stage of CoRE: roles debate a log's verdicts and end with one score from 0 to 100."""
