"""Results of `crs-eval live` as tables that a person can query, in PostgreSQL or SQLite (`crs-eval[live]`)."""
