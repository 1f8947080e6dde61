"""Stores of answers, leases and counters: in this process, or in Redis for all replicas."""
