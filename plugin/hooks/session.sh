#!/bin/sh
# What the hooks of a client run when a session begins, goes on after a compaction, or ends: roux prime tells what matters in the vault.
# It says nothing and never fails where roux or the vault is missing, slow or broken, and starts no roux but the one that the user installed.
roux=$(command -v roux 2>/dev/null) || exit 0
project=${CLAUDE_PROJECT_DIR:-${CURSOR_PROJECT_DIR:-${GEMINI_PROJECT_DIR:-$PWD}}}
cd "$project" 2>/dev/null || exit 0
project=$(pwd -P)
# Neither a program of the folder that is open, nor of a package above it, nor one that a relative entry of PATH found in it.
bin=$(cd "$(dirname "$roux")" 2>/dev/null && pwd -P)
case $bin in
"$project" | "$project"/*) exit 0 ;;
*/node_modules/.bin)
  case $project in
  "${bin%/node_modules/.bin}"/*) exit 0 ;;
  esac
  ;;
esac
case $roux in
/* | [A-Za-z]:*) ;;
*) exit 0 ;;
esac
vault=${CLAUDE_PLUGIN_OPTION_VAULT:-${ROUX_VAULT:-}}
if [ -n "$vault" ]; then
  "$roux" prime --hook --vault "$vault" 2>/dev/null
else
  "$roux" prime --hook 2>/dev/null
fi
exit 0
