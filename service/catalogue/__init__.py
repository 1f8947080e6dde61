"""Items: a catalogue, its index, and titles found in texts."""
