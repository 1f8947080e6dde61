"""Numbers about numbers: intervals by resampling, and what else is no business of one metric."""
