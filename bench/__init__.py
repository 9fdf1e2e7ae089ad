"""Claims of speed, as ratios measured in one run. ``python -m bench`` prints them all."""

import os

os.environ.setdefault("RECOLLECT_CACHE_ENABLED", "false")
"""What is measured is a search, not what is kept of the one before."""
os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before anything here imports onnxruntime
