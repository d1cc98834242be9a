"""The HTTP API on a Unix socket that only its owner reaches: health, context, a stream of events (spec 6)."""
