"""MCP on standard input and output: two tools that read (spec 7)."""
