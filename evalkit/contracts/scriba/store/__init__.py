"""The only SQL: files opened to be read, and what is read of them (spec 9)."""
