"""Stores of answers and counters: in this process, or in Redis for all replicas."""
