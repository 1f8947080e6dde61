"""The second stage of CoRE: roles debate a log's verdicts until one score from 0 to 100 stands."""
