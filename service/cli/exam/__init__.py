"""`crs-eval exam`: which judge to trust for what."""
