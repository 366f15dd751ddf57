import { didYouMean } from '../../../suggest.ts';
import { defineCommand, DONE, UsageError } from '../command.ts';
import { completionScript, SHELLS } from './scripts.ts';

/** `roux completion`: prints the completion script for a shell. */
export const completion = defineCommand({
  name: 'completion',
  summary: 'print a script that lets bash, zsh or fish complete commands, options and names of notes',
  usage: '<bash|zsh|fish>',
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
  arity: 1,
  completes: [SHELLS],
  isStandalone: true,
  run({ args: [name = ''], printText }) {
    const shell = SHELLS.find((each) => each === name);
    if (shell === undefined)
      throw new UsageError(
        `there is no script for "${name}", only for ${SHELLS.join(', ')}${didYouMean(name, SHELLS).replace(/[.?]$/, '')}`,
      );
    printText(completionScript(shell));
    return Promise.resolve(DONE);
  },
});
