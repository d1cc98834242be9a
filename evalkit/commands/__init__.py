"""The subcommands of the command line, one file each; the table below is all that registers them."""

COMMANDS = {
    "run": "run suites, print one JSON report, exit by the gate",
    "audit": "hold anyone's MCP server against the universal rules",
    "init": "draft a suite from a server or a contract",
    "record": "run suites against a live target, and keep its answers as a target",
    "diff": "show what changed between two manifests, recordings or reports",
    "check": "load suites only and show every mistake; runs nothing",
    "list": "list suites, cases, contracts, expectations, operations or formats",
    "explain": "explain an expectation, an operation or a code, with an example",
    "schema": "print the JSON Schema of a suite or of a report",
    "report": "render a saved report in another format",
    "serve": "serve a contract, live, to clients and suites on this machine",
    "scriba": "show the Scriba context: context, mcp, server run, seed",
    "completion": "print a completion script for a shell",
}
