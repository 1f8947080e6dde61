"""Use cases: requests in, answers out. Routes, commands, the library and `crs-eval live` call them; none knows HTTP or a terminal."""
