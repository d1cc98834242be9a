"""The 22 semantic tools: who may call them, what they do, and how a repeated call is told from a new one."""
