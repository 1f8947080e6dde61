"""Topics, reasons, times and prices: the subject of a message."""
