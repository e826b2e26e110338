"""The HTTP service: enqueues and reads, never investigates."""
