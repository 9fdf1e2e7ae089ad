"""The Model Context Protocol, over stdio and over streamable HTTP."""
