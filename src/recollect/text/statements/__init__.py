"""Reads statements: clauses, values, and whether one changes another."""
