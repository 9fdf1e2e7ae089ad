"""Measurements of the product through its public face."""
