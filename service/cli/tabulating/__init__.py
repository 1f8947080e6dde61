"""Tables of systems by factors: means, spreads, intervals, and which differences hold."""
