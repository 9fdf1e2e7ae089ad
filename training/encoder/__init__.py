"""recollect-encode: one model that gives a passage its vector and each of its sentences one."""
