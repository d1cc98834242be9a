"""The authentication gate in front of everything (spec B.2)."""
