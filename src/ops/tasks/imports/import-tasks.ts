import * as z from 'zod';
import { importedId } from '../../imports/import-state.ts';
import { findGone } from '../../imports/find-imported.ts';
import type { ImportedRow } from '../../imports/imported-row.ts';
import { defineOperation } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { commitOrRehearse } from '../draft/commit-draft.ts';
import type { DraftTask } from '../draft/draft-task.ts';
import type { Draft } from '../draft/draft.ts';
import { NewTasks } from '../draft/new-tasks.ts';
import { findTask } from '../view/find-task.ts';
import { applyTask, givenTask, readTaskState } from './apply-task.ts';
import type { GivenTask } from './apply-task.ts';

/** Tasks of one write. */
export const MAX_TASKS_PER_WRITE = 500;

const input = z.strictObject({
  from: z.string().min(1).describe('The program'),
  project: z.string().min(1).max(200).describe('Where new tasks go; made when it is new'),
  tasks: z.array(givenTask).max(MAX_TASKS_PER_WRITE).describe('As the source has them'),
  force: z.boolean().default(false).describe('Take what the source has where both changed, and bring back what was deleted here'),
  is_rehearsal: z.boolean().default(false).describe('Only compute what would change'),
});

export interface ImportedTasks {
  readonly rows: readonly ImportedRow[];
  /** What `undo` takes; null if nothing was written. */
  readonly batch: string | null;
}

/** Makes tasks of issues of another program, and brings known ones up to date: all of these, or none. */
export const importTasks = defineOperation({
  name: 'import_tasks',
  toolset: null,
  title: 'Import tasks',
  summary: 'Makes tasks of the issues of another program, and brings known ones up to date.',
  effect: 'write',
  overwrites: true,
  writesByOption: true,
  isIdempotent: true,
  input,
  async run(context, call): Promise<ImportedTasks> {
    const { vault } = context;
    await vault.refresh('changed');
    const ids = call.tasks.map(({ id }) => importedId('t', { from: call.from, id })).filter((id) => findTask(vault, id) === null);
    const gone = await findGone(vault, ids);
    const writing = { operation: 'import_tasks', isRehearsal: call.is_rehearsal };
    const { result, batch } = await commitOrRehearse(context, writing, (draft) => new TaskImport(context, draft, call).run(gone));
    return { rows: result, batch };
  },
});

type Gone = Awaited<ReturnType<typeof findGone>>;

/** One write of an import. */
class TaskImport {
  readonly #context: OperationContext;
  readonly #draft: Draft;
  readonly #call: z.output<typeof input>;
  readonly #newTasks: NewTasks;
  readonly #byId = new Map<string, DraftTask>();

  constructor(context: OperationContext, draft: Draft, call: z.output<typeof input>) {
    this.#context = context;
    this.#draft = draft;
    this.#call = call;
    this.#newTasks = new NewTasks(context, draft, call.project);
  }

  run(gone: Gone): readonly ImportedRow[] {
    // All tasks exist before any is linked to another.
    const found = this.#call.tasks.map((given) => ({ given, ...this.#findOrCreate(given, gone) }));
    for (const { given, task } of found) if (task !== null) this.#byId.set(given.id, task);
    return found.map(({ given, task, reason }) =>
      task === null ? { id: given.id, title: given.title, path: '', change: 'skipped', reason } : this.#apply(given, task),
    );
  }

  #apply(given: GivenTask, task: DraftTask): ImportedRow {
    const head = { id: given.id, title: given.title, path: task.path };
    const state = readTaskState(task, this.#call.from);
    if (task.task !== null && state === null) return { ...head, change: 'skipped', reason: 'its "imported" was removed here' };
    const { fields, conflicts, missing } = applyTask(
      {
        draft: this.#draft,
        from: this.#call.from,
        isForced: this.#call.force,
        findTask: (id) => this.#taskOf(id),
        readNote: () => (task.task === null ? '' : (this.#context.vault.notes.readTextUnstable(task.path) ?? '')),
      },
      { task, given, state },
    );
    const isNew = task.task === null;
    return {
      ...head,
      change: isNew ? 'new' : fields.length > 0 ? 'updated' : 'none',
      ...(isNew || fields.length === 0 ? {} : { fields }),
      ...(conflicts.length === 0 ? {} : { conflicts }),
      ...(missing.length === 0 ? {} : { missing }),
    };
  }

  #findOrCreate(given: GivenTask, gone: Gone): { readonly task: DraftTask | null; readonly reason: string } {
    const id = importedId('t', { from: this.#call.from, id: given.id });
    const known = findTask(this.#context.vault, id);
    if (known !== null) return { task: this.#draft.edit(known), reason: '' };
    const why = gone.get(id);
    if (why === 'unreadable') return { task: null, reason: 'its note is no readable task here' };
    if (why === 'deleted' && !this.#call.force) return { task: null, reason: 'it was deleted here' };
    const created = this.#newTasks.create({ id, summary: given.title });
    if (given.createdAt !== null) created.set(['created_at'], given.createdAt);
    return { task: created, reason: '' };
  }

  #taskOf(id: string): DraftTask | null {
    const drafted = this.#byId.get(id);
    if (drafted !== undefined) return drafted;
    const known = findTask(this.#context.vault, importedId('t', { from: this.#call.from, id }));
    return known === null ? null : this.#draft.edit(known);
  }
}
