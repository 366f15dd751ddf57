#!/usr/bin/env bash
# What the GitHub Action (action.yml) runs: "roux check" with its inputs, the findings in the log and in the summary of the job, and as files.
set -uo pipefail

roux() {
  "$GITHUB_ACTION_PATH/scripts/roux.sh" "$@"
}

words=(check "--vault=$INPUT_VAULT")
since=$INPUT_SINCE
# What the branch of a pull request changed since it left its base.
if [ -z "$since" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then since="origin/$GITHUB_BASE_REF..."; fi
if [ -n "$since" ]; then words+=("--since=$since"); fi
if [ -n "$INPUT_FAIL" ]; then words+=("--fail=$INPUT_FAIL"); fi

# Prints the findings in a format.
findings() {
  roux "${words[@]}" --format "$1" || [ $? -eq 1 ] || exit 3
}

# The runner obeys lines of the log such as "::add-mask::", which names of notes may hold.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
roux "${words[@]}"
status=$?
# Nothing was found out: the message above says why.
if [ "$status" -gt 1 ]; then exit "$status"; fi

# All before any is written: a file in the vault may be a note itself.
sarif='' markdown=''
if [ -n "$INPUT_SARIF" ]; then sarif=$(findings sarif) || exit 3; fi
if [ -n "$INPUT_MARKDOWN${GITHUB_STEP_SUMMARY:-}" ]; then markdown=$(findings markdown) || exit 3; fi
if [ -n "$INPUT_SARIF" ]; then printf '%s\n' "$sarif" > "$INPUT_SARIF" || exit 3; fi
if [ -n "$INPUT_MARKDOWN" ]; then printf '%s\n' "$markdown" > "$INPUT_MARKDOWN" || exit 3; fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then printf '%s\n' "$markdown" >> "$GITHUB_STEP_SUMMARY" || exit 3; fi
exit "$status"
