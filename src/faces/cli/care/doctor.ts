import type { Finding } from '../../../ops/care/finding.ts';
import type { OperationContext } from '../../../ops/operation.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { count } from '../show.ts';
import { plain } from '../terminal.ts';

type TrashEntry = Awaited<ReturnType<OperationContext['vault']['trash']>>[number];

/** Health of the vault. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'what is wrong in the vault; --fix puts right what needs no guessing',
  usage: '[vault]',
  group: 'care',
  arity: 0,
  options: {
    fix: { type: 'boolean', help: 'make the changes that the findings carry, in one step that "roux undo" takes back' },
    'dry-run': { type: 'boolean', help: 'print what --fix would change as a diff, and write nothing' },
  },
  async run(context) {
    const [{ diagnose }, { fixFindings }] = await Promise.all([
      import('../../../ops/care/diagnose.ts'),
      import('../../../ops/care/fix.ts'),
    ]);
    const vault = await context.vault();
    await vault.refresh('strict');
    const isDryRun = context.options['dry-run'] === true;
    const fixed = isDryRun || context.options['fix'] === true ? await fixFindings({ ...(await context.context()), isDryRun }) : null;
    const findings = await diagnose(vault, { rebuild: true });
    const trash = await vault.trash();
    const status = findings.length === 0 ? DONE : FINDINGS;
    const diff = fixed?.committed.diff;
    if (context.isJson) {
      context.printJson({
        notes: vault.graph.size,
        findings: findings.map(toJson),
        ...(trash.length === 0 ? {} : { trash: { files: trash.length, bytes: sizeOf(trash) } }),
        ...(diff === undefined ? {} : { diff }),
        ...(fixed === null || isDryRun
          ? {}
          : { fixed: fixed.findings.map(toJson), batch: fixed.committed.batch, warnings: fixed.committed.warnings }),
      });
      return status;
    }
    if (diff !== undefined) {
      // Nothing but the diff on stdout, so that it can be kept or given to a tool.
      if (diff !== '') context.print(plain(diff.replace(/\n$/, '')));
    } else {
      if (fixed !== null) for (const finding of fixed.findings) printFinding(context, finding, 'fixed');
      for (const warning of fixed?.committed.warnings ?? []) context.note(`roux: ${plain(warning)}`);
      for (const finding of findings) printFinding(context, finding, 'found');
    }
    context.note(summarize(vault.graph.size, findings, fixed === null || isDryRun ? 0 : fixed.findings.length));
    if (trash.length > 0) context.note(describeTrash(trash, vault.config.trashDays));
    return status;
  },
});

function printFinding({ paint, print }: CommandContext, { kind, message, fix }: Finding, state: 'found' | 'fixed'): void {
  if (state === 'fixed') print(`${paint.green(`fixed ${kind}`)}  ${plain(message)}: ${plain(fix?.summary ?? '')}`);
  else print(`${paint.yellow(kind)}  ${plain(message)}${fix === undefined ? '' : paint.dim(`\n  --fix would ${plain(fix.summary)}`)}`);
}

function summarize(notes: number, findings: readonly Finding[], fixed: number): string {
  const fixable = findings.filter(({ fix }) => fix !== undefined).length;
  const done = fixed === 0 ? '' : `${fixed} fixed; `;
  if (findings.length === 0) return `${done}${count(notes, 'note')}, nothing ${fixed === 0 ? '' : 'else '}found.`;
  return `${done}${count(findings.length, 'finding')} in ${count(notes, 'note')}${fixable === 0 ? '' : `, ${fixable} of which --fix can put right`}.`;
}

/** No finding: deleted notes are kept on purpose. But a person may wonder what fills the disk. */
function describeTrash(trash: readonly TrashEntry[], days: number): string {
  const stay = days === 0 ? 'for good' : `for ${count(days, 'day')}`;
  return `The trash keeps ${count(trash.length, 'file')} (${Math.ceil(sizeOf(trash) / 1024)} KB), each ${stay}; "roux restore" lists them.`;
}

function sizeOf(trash: readonly TrashEntry[]): number {
  return trash.reduce((sum, { size }) => sum + size, 0);
}

function toJson({ kind, paths, message, fix }: Finding) {
  return { kind, paths, message, ...(fix === undefined ? {} : { fix: fix.summary }) };
}
