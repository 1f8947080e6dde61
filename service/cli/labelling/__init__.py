"""Conversations for people to label: the sample, the sheet, and the labels that come back."""
