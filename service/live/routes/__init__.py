"""Routes of `crs-eval live`, one module each."""
