/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Each script asks `roux complete` for candidates and puts them on the line as words, so that the shell never interprets the name of a
// note. Candidates for bash come quoted, since bash quotes only file names; zsh and fish quote what `compadd` and `complete` are given.

const BASH = String.raw`# Completion of roux for bash.
_roux() {
  local line kind=
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done <<< "$(command roux complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)"
  case $kind in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
  return 0
}
complete -o nosort -F _roux roux 2>/dev/null || complete -F _roux roux
`;

const ZSH = String.raw`#compdef roux
# Completion of roux for zsh.
_roux() {
  local -a lines texts shown
  local line tab=$'\t'
  lines=("\${(@f)$(command roux complete zsh "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  case $lines[1] in
    files) _files; return ;;
    folders) _files -/; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    texts+=("\${line%%$tab*}")
    shown+=("\${line/$tab/  -- }")
  done
  (( $#texts )) || return 1
  # Any case, and anywhere in a name.
  local -a how=(-V roux -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]} l:|=* r:|=*' -d shown)
  [[ "$shown" = *'  -- '* ]] && how+=(-l)
  compadd $how -a -- texts
}
if [[ "$funcstack[1]" = _roux ]]; then _roux "$@"; else compdef _roux roux; fi
`;

const FISH = String.raw`# Completion of roux for fish.
function __roux_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command roux complete fish $before[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case '*'
            string join \n -- $lines[2..-1]
    end
end
complete -c roux -k -f -a '(__roux_complete)'
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** Returns the script that a shell sources to complete roux command lines. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell].replaceAll('\\${', '${');
}
