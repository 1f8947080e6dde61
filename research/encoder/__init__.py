"""The sentence encoder of the wheel: how its files are made, and what they reach."""
