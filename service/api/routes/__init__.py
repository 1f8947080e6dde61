"""The routes: one module each."""
