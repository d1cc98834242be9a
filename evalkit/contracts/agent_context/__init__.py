"""PortOS's agent-context surface: five read-only tools over four scopes of private context."""
