"""All that is published, built into `dist/`: the same bytes every time."""
