"""Simulated users: who the user is and the log so far go in, the next message comes out."""
