#!/usr/bin/env bash
# Runs roux for the GitHub Action and for the hook of the pre-commit framework: the one on the path, else this checkout's, set up first.
set -euo pipefail
if [ -n "$(type -P roux)" ]; then exec roux "$@"; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
node "$here/scripts/setup.mjs"
exec node "$here/dist/bin.js" "$@"
