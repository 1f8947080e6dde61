"""Agents as callers: the service's tools and texts over the Model Context Protocol."""
