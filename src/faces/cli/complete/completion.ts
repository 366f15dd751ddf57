import { defineCommand, DONE } from '../command.ts';
import { completionScript, SHELLS } from './scripts.ts';
import type { Shell } from './scripts.ts';

/** `roux completion`: prints the completion script for a shell. */
export const completion = defineCommand({
  name: 'completion',
  summary: 'print a script that lets bash, zsh or fish complete commands, options and names of notes',
  details: [
    'Where each of them looks for it:',
    '',
    '  bash: eval "$(roux completion bash)" in ~/.bashrc',
    '  zsh:  eval "$(roux completion zsh)" in ~/.zshrc, below compinit',
    '  fish: roux completion fish > ~/.config/fish/completions/roux.fish',
    '',
    'Names are those that the vault had when roux last ran in it; a note is never opened for it.',
  ],
  group: 'care',
  usage: '<bash|zsh|fish>',
  positionals: [{ name: 'shell', choices: SHELLS }],
  isStandalone: true,
  run({ args: [shell], printText }) {
    printText(completionScript(shell as Shell));
    return Promise.resolve(DONE);
  },
});
