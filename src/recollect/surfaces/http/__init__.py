"""The HTTP API and the process that serves it."""
