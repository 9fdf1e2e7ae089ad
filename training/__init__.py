import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before anything here imports onnxruntime
