"""Maps from a judge's scores to people's scale."""
