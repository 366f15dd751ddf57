import { doctor as lookThrough } from '../../../ops/care/doctor.ts';
import { KINDS_WITHOUT_PATHS } from '../../../ops/care/finding.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { findStoreDifferences } from '../sharing/store-findings.ts';
import { count, describeEmbedding, showDiff, showWarnings } from '../show.ts';

/** Files that the line of a finding names. */
const MAX_PATHS = 20;

type Checkup = AnswerOf<typeof lookThrough>;
type Finding = Checkup['findings'][number];

/** `roux doctor`: the health of the vault. */
export const doctor = defineOperationCommand({
  operation: lookThrough,
  name: 'doctor',
  summary: 'what is wrong in the vault; --fix puts right what needs no guessing',
  group: 'care',
  takesVault: true,
  options: {
    fix: { help: 'make the changes that the findings carry, in one step that "roux undo" takes back' },
    'dry-run': { type: 'boolean', help: 'print what --fix would change as a diff, and write nothing' },
  },
  async run(context, { fix }) {
    const isDryRun = context.options['dry-run'] === true;
    const { output: checkup, warnings } = await context.run(lookThrough, { fix: isDryRun || fix });
    showWarnings(context, warnings);
    const inStore = await findStoreDifferences(context);
    if (context.isJson) context.printJson({ ...toJson(checkup), ...(inStore.length === 0 ? {} : { store: inStore }) });
    else {
      show(context, checkup);
      for (const { kind, message } of inStore) context.print(`${context.paint.yellow(kind)}  ${visibleLine(message)}.`);
    }
    return checkup.findings.length + inStore.length === 0 ? DONE : FINDINGS;
  },
});

function toJson({ notes, findings, fixed, trash, files, meaning }: Checkup) {
  return {
    notes,
    findings,
    ...(trash.files === 0 ? {} : { trash }),
    ...(files === null ? {} : { files }),
    ...(meaning.state === 'off' ? {} : { meaning }),
    ...(fixed === null ? {} : fixed.committed.diff === undefined ? toFixedJson(fixed) : { diff: fixed.committed.diff }),
  };
}

function toFixedJson({ findings, committed: { batch, warnings } }: NonNullable<Checkup['fixed']>) {
  return { fixed: findings, batch, warnings };
}

function show(context: CommandContext, { notes, findings, fixed, trash, files, meaning }: Checkup): void {
  const diff = fixed?.committed.diff;
  if (diff === undefined) {
    for (const finding of fixed?.findings ?? [])
      context.print(`${context.paint.green(`fixed ${finding.kind}`)}  ${describe(finding)}: ${visibleLine(finding.fix ?? '')}`);
    for (const warning of fixed?.committed.warnings ?? []) context.note(`roux: ${visibleLine(warning)}`);
    for (const finding of findings) showFinding(context, finding);
  } else if (diff !== '') {
    // Only the diff goes to stdout, so that it can be saved or piped to another program.
    showDiff(context, diff);
  }
  context.note(summarize(notes, findings, diff === undefined ? (fixed?.findings.length ?? 0) : 0));
  if (trash.files > 0) context.note(describeTrash(trash, context.host.config.trashDays));
  if (files !== null) context.note(visibleLine(files));
  if (meaning.state !== 'off') context.note(`Embedded: ${describeEmbedding(meaning)}.`);
}

function showFinding({ paint, print }: CommandContext, finding: Finding): void {
  const { kind, fix } = finding;
  print(`${paint.yellow(kind)}  ${describe(finding)}${fix === undefined ? '' : paint.dim(`\n  --fix would ${visibleLine(fix)}`)}`);
}

function describe({ kind, message, paths, nearest }: Finding): string {
  const shown = paths.slice(0, MAX_PATHS).join(', ');
  const rest = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : '';
  const where = KINDS_WITHOUT_PATHS.has(kind) ? `; in ${shown}${rest}` : '';
  return visibleLine(`${message}${where}${nearest === undefined ? '' : `; nearest: ${nearest}`}`);
}

function summarize(notes: number, findings: readonly Finding[], fixed: number): string {
  const fixable = findings.filter(({ fix }) => fix !== undefined).length;
  const done = fixed === 0 ? '' : `${fixed} fixed; `;
  if (findings.length === 0) return `${done}${count(notes, 'note')}, nothing ${fixed === 0 ? '' : 'else '}found.`;
  return `${done}${count(findings.length, 'finding')} in ${count(notes, 'note')}${fixable === 0 ? '' : `, ${fixable} of which --fix can put right`}.`;
}

/** Describes the trash. It is not a finding, because deleted notes are retained on purpose, but a user may wonder what fills the disk. */
function describeTrash({ files, bytes }: Checkup['trash'], days: number): string {
  const stay = days === 0 ? 'for good' : `for ${count(days, 'day')}`;
  return `The trash keeps ${count(files, 'file')} (${Math.ceil(bytes / 1024)} KB), each ${stay}; "roux restore" lists them.`;
}
