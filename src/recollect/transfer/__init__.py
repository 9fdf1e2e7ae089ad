"""Moves whole stores: export, import, backup, migration, and the context tree as files."""
