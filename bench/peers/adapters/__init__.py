"""One engine a file, each imported only where that engine is installed."""
