"""Items, titles, acts and repetition in plain text; no model is called here."""
