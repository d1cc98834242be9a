"""The HTTP boundary: what is refused before anything is asked, in which order (spec B.3, B.4)."""
