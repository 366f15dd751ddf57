import { projectOf } from '../../../graph/tasks/task-note.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { readFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import { hasTaskKeys } from '../../../note/frontmatter/reserved-keys.ts';
import { baseName } from '../../../note/path.ts';
import type { BranchNote } from '../../../vault/history/git/branch-notes.ts';
import { sharedClaimsOf } from '../../../vault/claims/shared-claims.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';

/** A task as another branch has it. */
export interface BranchTask {
  readonly branch: string;
  readonly id: string;
  readonly summary: string;
  readonly resolved: boolean;
  /** The folder of its project. */
  readonly project: string;
  /** Resolved in another worktree, which has not committed that. */
  readonly uncommitted?: true;
}

/** More tasks than other worktrees are remembered to have resolved. */
const MAX_KNOWN = 2_000;
/** How long a process may take to write the note of a task that it says is resolved. */
const MAX_WRITE_MS = 60_000;

/** What the branches said last, so that their notes are parsed once. */
const parsed = new WeakMap<readonly BranchNote[], readonly BranchTask[]>();

/**
 * Returns the tasks that other branches of the repository changed since they left this one, and that are done there, or are not here. Those
 * that are done there and open here must not be handed out again.
 */
export async function findBranchTasks({ vault, warn }: Pick<OperationContext, 'vault' | 'warn'>): Promise<readonly BranchTask[]> {
  const { root } = vault.settings.config.tasks;
  try {
    const notes = await vault.history.branchNotes(root);
    const tasks = parsed.get(notes) ?? notes.flatMap((note) => readTask(note, root));
    parsed.set(notes, tasks);
    const committed = tasks.filter(({ id, resolved }) => {
      const here = findHere(vault, id);
      return here === null || (resolved && isOpen(here));
    });
    const known = doneElsewhere(committed);
    return [...committed, ...findUncommitted(vault, (id) => !known.has(id))];
  } catch (error) {
    warn(`The tasks of other branches are not known: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** Returns the branch in which each of these tasks is done, by their ids. */
export function doneElsewhere(tasks: readonly BranchTask[]): ReadonlyMap<string, string> {
  return new Map(tasks.filter(({ resolved }) => resolved).map(({ id, branch }) => [id, branch]));
}

/** What notes of other worktrees said when they were read last, by the ids of tasks. */
type Known = Map<string, { readonly key: string; readonly found: readonly BranchTask[] }>;

const createKnown = (): Known => new Map();

/**
 * Returns those of the tasks that are meant that are open here and resolved in other worktrees, as their notes there say at this moment. Each
 * call looks at these notes, and reads those that changed.
 */
export function findUncommitted(vault: Vault, isMeant: (task: string) => boolean): readonly BranchTask[] {
  const known = vault.derived(createKnown);
  const isOpenHere = (id: string): boolean => {
    const here = isMeant(id) ? findHere(vault, id) : null;
    return here !== null && isOpen(here);
  };
  const { root } = vault.settings.config.tasks;
  const now = vault.ports.clock.now();
  return (sharedClaimsOf(vault)?.resolvedElsewhere(isOpenHere, root) ?? []).flatMap(({ task: id, branch, note, atMs }) => {
    const path = findHere(vault, id)?.path;
    if (path === undefined) return [];
    const key = `${branch}\n${path}\n${note.stamp}`;
    const before = known.get(id);
    const found = before?.key === key ? before.found : readTask({ branch, path, text: note.read() ?? '' }, root);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(id, { key, found });
    // That it is resolved is known a moment before its note is written. A moment in the future is of a clock that was set back.
    const isBeingWritten = note.changedMs <= atMs && Math.abs(now - atMs) < MAX_WRITE_MS;
    return found
      .filter((each) => each.id === id && (each.resolved || isBeingWritten))
      .map((each) => ({ ...each, resolved: true, uncommitted: true as const }));
  });
}

function readTask({ branch, path, text }: BranchNote, root: string): readonly BranchTask[] {
  const project = projectOf(path, root);
  const { data } = readFrontmatter(text);
  if (project === null || !hasTaskKeys(data) || data['type'] === 'project') return [];
  const [id, summary] = [data['id'] ?? path.replace(/\.md$/i, ''), data['summary'] ?? baseName(path)];
  if (typeof id !== 'string' || typeof summary !== 'string') return [];
  return [{ branch, id, summary: shorten(summary, 200), resolved: data['resolved'] === true, project }];
}

/** Returns the note of a task here; null if it is not here. */
function findHere(vault: Vault, id: string): NoteEntry | null {
  const found = vault.graph.lookup(id);
  return found.kind === 'found' ? found.entry : null;
}

function isOpen({ properties }: NoteEntry): boolean {
  return properties['resolved'] !== true;
}
