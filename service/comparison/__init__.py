"""Two conversations side by side: which one a judge prefers, factor by factor and overall."""
