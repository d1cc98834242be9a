#!/usr/bin/env bash
# The run step of action.yml: annotations to the log, a job summary, the JSON report to a file.
set -uo pipefail

report="${RUNNER_TEMP:?}/evalkit-report.json"
summary="${RUNNER_TEMP:?}/evalkit-summary.md"
rm -f "$report" "$summary"

words=()
add_lines() {
  local line
  while IFS= read -r line; do
    [ -z "$line" ] || words+=("$line")
  done <<<"$1"
}

if [ -n "${EVALKIT_TARGET:-}" ] && [ -z "${EVALKIT_SUITE:-}" ]; then
  words=(audit "$EVALKIT_TARGET")
else
  words=(run)
  add_lines "${EVALKIT_SUITE:-}"
  [ -z "${EVALKIT_TARGET:-}" ] || words+=(--target "$EVALKIT_TARGET")
fi
[ -z "${EVALKIT_THRESHOLD:-}" ] || words+=(--failure-threshold "$EVALKIT_THRESHOLD")
add_lines "${EVALKIT_ARGS:-}"

evalkit "${words[@]}" --format github --output "$report" --report "markdown=$summary"
code=$?

[ ! -s "$summary" ] || cat "$summary" >>"${GITHUB_STEP_SUMMARY:?}"
[ ! -s "$report" ] || echo "report=$report" >>"${GITHUB_OUTPUT:?}"
exit "$code"
