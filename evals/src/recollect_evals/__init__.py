"""Measurements of the product through its public face."""

from recollect import lazy

lazy.install(__name__)
