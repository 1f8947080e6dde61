"""A summary of the last days: conversations as they are judged, means by the hour and the day, alarms."""
