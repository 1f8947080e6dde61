"""A judge's scores beside people's labels: what people would give, and the file that says so."""
