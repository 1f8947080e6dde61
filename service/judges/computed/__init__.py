"""Faults that code finds by comparing spans of the log: no training, no model. `detect.detect_computed` is the entry."""
