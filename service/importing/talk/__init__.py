"""Messages in every spelling that logs have, as utterances, and utterances as the messages of a log."""
