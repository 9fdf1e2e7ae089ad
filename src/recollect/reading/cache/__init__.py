"""Tiers 0 and 1: answers that were given before, served while they still hold."""
