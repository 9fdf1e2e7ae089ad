"""Reads questions: syntax, intent, time, and whether two ask the same."""
