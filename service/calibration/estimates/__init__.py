"""Means from labels and a judge, their intervals, and whether the labels are a random sample."""
