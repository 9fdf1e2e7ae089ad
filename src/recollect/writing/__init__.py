"""The write path. :mod:`recollect.writing.path` is the page to read first."""
