"""Whole studies: from recommenders and users to the tables of a paper, in a folder that can be taken up again."""
