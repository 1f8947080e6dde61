"""The routes, in modules by subject."""
