"""Judges' scores calibrated to people: means with intervals, maps to people's scale, how many labels are needed."""
