"""Behavior Alignment: whether a recommender's replies use the strategies that people use there."""
