"""Evaluate the contract of an agent-facing surface from declarative suites: one report, one exit code."""

__version__ = "0.1.0"
