/**
 * Languages of code blocks that are shown as code. Plugins give other words a meaning: `dataviewjs` runs what it holds, `query` and `base`
 * show notes of the vault.
 */
export const CODE_LANGUAGES: ReadonlySet<string> = new Set(
  (
    'applescript asm assembly awk bash bat batch bibtex c c# c++ clojure cmake cmd cobol console cpp cs csharp css csv cuda dart diff ' +
    'docker dockerfile dotenv elixir elm env erlang f# fish fortran fsharp gdscript git gitignore glsl go golang gradle graphql groovy ' +
    'haskell hcl hlsl html http ini java javascript jinja jinja2 js json json5 jsonc jsonl jsx julia kotlin latex less lisp log lua ' +
    'makefile markdown math matlab md mermaid nginx nim nix objc objective-c objectivec ocaml pascal patch perl php plain plaintext ' +
    'plantuml plsql postgresql powershell prisma prolog properties proto protobuf ps1 pseudocode py python python3 r racket rb regex rs ' +
    'ruby rust sas sass scala scheme scss sh shell solidity sparql sql sqlite svelte svg swift tcl terraform tex text toml ts tsx txt ' +
    'typescript vb vba vbnet verilog vhdl vim vue wasm xml xquery yaml yml zig zsh'
  ).split(' '),
);
