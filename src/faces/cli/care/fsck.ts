import { fsck as checkVault } from '../../../ops/care/fsck.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { FAILED, DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { findStoreDifferences } from '../sharing/store-findings.ts';
import { count } from '../show.ts';

type Report = AnswerOf<typeof checkVault>;

/** `roux fsck`: the integrity of everything that roux stores for the vault. */
export const fsck = defineOperationCommand({
  operation: checkVault,
  name: 'fsck',
  summary: 'check that everything roux stores for the vault is intact',
  group: 'care',
  takesVault: true,
  details: [
    'Checks journal, history (line by line), undo data, trash, ids, links',
    'and, in a shared vault, the folder against its store. Without --repair',
    'nothing is written. Exit status 0: everything is intact, 1: something is',
    'not, 3: something could not be checked.',
  ],
  options: {
    repair: { help: 'end unfinished writes, remove half-written lines, and do what "roux doctor --fix" does' },
  },
  isReadOnly: ({ repair }) => repair !== true,
  async run(context, args) {
    const { output, warnings } = await context.run(checkVault, args);
    const inStore = await findStoreDifferences(context);
    const report: Report = {
      ...output,
      faults: [
        ...output.faults,
        ...inStore.flatMap(({ kind, path, message, isUnknown }) =>
          isUnknown === true ? [] : [{ kind, path, message: `${message}.`, remedy: '' }],
        ),
      ],
      unchecked: [...output.unchecked, ...inStore.flatMap(({ message, isUnknown }) => (isUnknown === true ? [`${message}.`] : []))],
    };
    if (context.isJson) context.printJson({ ...report, ...(warnings.length === 0 ? {} : { warnings }) });
    else show(context, report);
    return report.unchecked.length > 0 ? FAILED : report.faults.length > 0 ? FINDINGS : DONE;
  },
});

function show({ paint, print, note }: CommandContext, { counts, faults, unchecked, repaired }: Report): void {
  for (const message of repaired ?? []) print(`${paint.green('repaired')}  ${visibleLine(message)}`);
  for (const { kind, message, remedy } of faults) {
    print(`${paint.yellow(kind)}  ${visibleLine(message)}${remedy === '' ? '' : paint.dim(`\n  ${visibleLine(remedy)}`)}`);
  }
  for (const message of unchecked) print(`${paint.red('not checked')}  ${visibleLine(message)}`);
  const seen = [
    count(counts.notes, 'note'),
    `${count(counts.events, 'event')}${counts.foreign === 0 ? '' : ` (${counts.foreign} not written here)`}`,
    `${count(counts.batches, 'write')} that can be undone`,
    `${count(counts.trash, 'file')} in the trash`,
  ].join(', ');
  note(`Looked at ${seen}: ${summarize(faults.length, unchecked.length)}.`);
}

function summarize(faults: number, unchecked: number): string {
  const found = faults === 0 ? '' : count(faults, 'finding');
  const missed = unchecked === 0 ? '' : `${count(unchecked, 'place')} could not be checked`;
  return [found, missed].filter((part) => part !== '').join(', ') || 'everything is intact. "roux doctor" checks what the notes say';
}
