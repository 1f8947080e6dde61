"""Text that talks to the judge: found, unmasked, weighed."""
