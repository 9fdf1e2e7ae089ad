"""Local models: where their files are, and what runs them. No network unless asked for."""
