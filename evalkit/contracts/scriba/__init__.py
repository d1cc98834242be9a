"""The Scriba context: quotas, budgets, grants and policy events, read from SQLite into one document."""
