"""Where answers, leases and counters live: in this process, or in Redis for all replicas."""
