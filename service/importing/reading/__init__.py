"""Files as entries: JSON in its forms, tables in theirs, transcripts; and the names that the caller maps."""
