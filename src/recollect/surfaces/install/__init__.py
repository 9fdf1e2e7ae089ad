"""Installing into agents: which clients there are, where each keeps its configuration, and edits of
that configuration that leave everything else in it as it was."""
