"""Writes databases as the real program would leave them, for tests and to try things out."""
