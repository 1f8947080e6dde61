"""`crs-eval push`: scores of a results file, uploaded to a platform that stores traces."""
