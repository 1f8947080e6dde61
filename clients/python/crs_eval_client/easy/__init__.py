"""The hand-written part: retries, streams, batches, sessions. Nothing here is generated."""
