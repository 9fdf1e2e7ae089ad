"""Suites for those who write an engine or a provider: inherit, fill in, run."""
