"""Formats that a TOML file declares: where conversations, messages, roles and texts are, in JMESPath."""
