"""Routes of `crs-eval live`, in modules by subject."""
