"""Calls of a model and traces of programs, in the forms they are logged in, as conversations."""
