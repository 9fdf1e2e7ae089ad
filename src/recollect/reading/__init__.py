"""The read path: one request, one pipeline, every stage reported. See ``pipeline.search``."""
