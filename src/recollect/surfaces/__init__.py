"""The command line, MCP, HTTP and the page. Each parses, calls the facade once, renders."""
