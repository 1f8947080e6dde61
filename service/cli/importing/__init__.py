"""`crs-eval import`: files in other formats to logs."""
