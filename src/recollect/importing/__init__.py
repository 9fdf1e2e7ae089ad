"""Imports files, session logs and repositories: what is read, what changed, what is gone."""
