"""The command line: `crs-eval`. Its modules are imported at first use, so that `--help` is quick."""
