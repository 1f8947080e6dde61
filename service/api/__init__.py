"""The HTTP face: routes, wire models, problems, streams; the only code that knows FastAPI."""
