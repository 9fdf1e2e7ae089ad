"""Claims of speed, as ratios measured in one run. ``python -m bench`` prints them all."""
