"""Agent sessions: what each client writes, read into one shape."""
