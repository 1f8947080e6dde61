"""Recommenders under test: over HTTP, or functions of a program. Functions may be users, too."""
