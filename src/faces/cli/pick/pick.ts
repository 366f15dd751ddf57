import { RouxError } from '../../../errors.ts';
import { notePaths } from '../../../ops/notes/read/resources.ts';
import { visibleLine } from '../../../terminal-text.ts';
import type { Command, CommandContext } from '../command.ts';
import type { WordKind } from '../options.ts';
import { findProgram } from '../../../on-path.ts';
import { chooseInFzf } from '../programs/fzf.ts';
import { chooseInList, typeText } from './prompts.ts';
import type { Choice } from './prompts.ts';

/** High enough that one answer holds every note. */
const ALL = 1_000_000;

/** Asks the user at the terminal for the arguments that a command needs; null if they cancel. */
export async function pickArguments(command: Command, context: CommandContext): Promise<readonly string[] | null> {
  const { notes } = (await context.run(notePaths, { limit: ALL })).output;
  if (notes.length === 0) throw new RouxError('NODE_NOT_FOUND', 'There are no notes to choose from.');
  const args: string[] = [];
  for (const { completes: kind = 'any' } of command.positionals ?? []) {
    const picked = await pickOne(context, { kind, notes, command, before: args });
    if (picked === null) return null;
    args.push(picked);
  }
  return args;
}

interface Question {
  readonly kind: WordKind;
  readonly notes: readonly { readonly path: string; readonly title: string }[];
  readonly command: Command;
  readonly before: readonly string[];
}

function pickOne(context: CommandContext, { kind, notes, command, before }: Question): Promise<string | null> {
  if (kind === 'any') return typeText('New name', notes.find(({ path }) => path === before[0])?.title ?? '');
  const choices = kind === 'place' ? folderChoices(notes) : notes.map(({ path, title }) => ({ value: path, label: title, hint: path }));
  return choose(choices, kind === 'place' ? 'into' : command.name, context);
}

function folderChoices(notes: Question['notes']): readonly Choice[] {
  const folders = new Set(
    notes.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, parts) => `${parts.slice(0, at + 1).join('/')}/`),
    ),
  );
  return ['/', ...[...folders].toSorted()].map((folder) => ({ value: folder, label: folder, hint: '' }));
}

/** Lets the user choose in fzf if it is installed, else in roux's own list. */
async function choose(choices: readonly Choice[], prompt: string, { host }: CommandContext): Promise<string | null> {
  const shown = choices.map(({ value, label, hint }) => ({ value, label: visibleLine(label), hint: visibleLine(hint) }));
  const fzf = findProgram('fzf', { vault: host.root });
  if (fzf === null) return chooseInList(shown, prompt);
  const at = await chooseInFzf(fzf, { lines: shown.map(({ label, hint }) => `${label}  ${hint}`.trimEnd()), prompt });
  return at === null ? null : (choices[at]?.value ?? null);
}
