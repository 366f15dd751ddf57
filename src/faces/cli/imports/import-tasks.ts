import { readBeads } from '../../../importing/beads/read-issues.ts';
import type { Bead } from '../../../importing/beads/read-issues.ts';
import { Tally } from '../../../importing/imported.ts';
import type { SourceFiles } from '../../../importing/source/source-files.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { importTasks, MAX_TASKS_PER_WRITE } from '../../../ops/tasks/imports/import-tasks.ts';
import type { CommandContext, Status } from '../command.ts';
import { showAndImport } from './show-and-import.ts';
import type { AskedImport } from './show-and-import.ts';
import { ImportRecord } from './import-record.ts';

type Row = AnswerOf<typeof importTasks>['rows'][number];

/** Imports the issues of beads as tasks of a project. */
export async function importTasksOf(context: CommandContext, files: SourceFiles, asked: AskedImport): Promise<Status> {
  const tally = new Tally();
  const beads = await readBeads(files, tally);
  const project = asked.into ?? projectOf(beads);
  const run = (isRehearsal: boolean): Promise<ImportRecord> =>
    context.program.withProgress(async (step) => {
      const record = new ImportRecord({ source: 'beads', into: `the project ${project}`, left: [...files.left, ...tally.left] });
      for (const [what, times] of tally.counts) record.count(what, times);
      await send(context, { beads, project, isForced: asked.isForced, isRehearsal }, record, (done) =>
        step(done, beads.length, 'importing tasks'),
      );
      return record;
    });
  return showAndImport(context, asked, run);
}

interface Sending {
  readonly beads: readonly Bead[];
  readonly project: string;
  readonly isForced: boolean;
  readonly isRehearsal: boolean;
}

/** Sends tasks in writes of a bounded size. Those that are linked to ones of later writes are sent again. */
async function send(
  context: CommandContext,
  { beads, project, isForced, isRehearsal }: Sending,
  record: ImportRecord,
  onSent: (tasks: number) => void,
): Promise<void> {
  const rows = new Map<string, Row>();
  const known = new Set(beads.map(({ id }) => id));
  const pass = async (tasks: readonly Bead[]): Promise<void> => {
    for (let at = 0; at < tasks.length; at += MAX_TASKS_PER_WRITE) {
      const part = tasks.slice(at, at + MAX_TASKS_PER_WRITE);
      const { output, warnings } = await context.run(importTasks, {
        from: 'beads',
        project,
        tasks: part,
        force: isForced,
        is_rehearsal: isRehearsal,
      });
      for (const row of output.rows) rows.set(row.id, merge(rows.get(row.id), row));
      record.add({ rows: [], copied: [], left: [], batch: output.batch }, warnings);
      onSent(rows.size);
    }
  };
  await pass(beads);
  if (!isRehearsal && beads.length > MAX_TASKS_PER_WRITE)
    await pass(beads.filter(({ id }) => rows.get(id)?.missing?.some((other) => known.has(other)) === true));
  record.add({ rows: [...rows.values()], copied: [], left: [], batch: null }, []);
  for (const { missing = [], title } of rows.values())
    for (const other of missing)
      if (!known.has(other) || !isRehearsal)
        record.leave(`${title}: its link to ${other}`, 'there is no such task, or it would go in a circle');
}

/** Joins what two writes did to one task. */
function merge(before: Row | undefined, after: Row): Row {
  if (before === undefined || before.change === 'none') return after;
  return {
    ...after,
    change: before.change,
    ...(before.fields === undefined ? {} : { fields: [...new Set([...before.fields, ...(after.fields ?? [])])] }),
  };
}

/** Issues of one database share a prefix, which is what people call the project. */
function projectOf(beads: readonly Bead[]): string {
  return /^(.{1,100})-[^-]*$/.exec(beads[0]?.id ?? '')?.[1] ?? 'beads';
}
