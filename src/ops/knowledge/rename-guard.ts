import { RouxError } from '../../errors.ts';
import { normalizeName } from '../../extraction/names.ts';
import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { baseName } from '../../note/path.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import type { Vault } from '../../vault/vault.ts';

/**
 * Refuses renames and moves that would break the knowledge graph. A rename to the name of another entity of the group is `CONFLICT`;
 * so no entity or episode leaves the graph's folder, where its tools would not find it. Called under the write lock.
 */
export function checkKnowledgeRenames(
  { settings: { config } }: Pick<Vault, 'settings'>,
  graph: GraphView,
  files: readonly FileChange[],
): void {
  const { root } = config.knowledge;
  const renamed = new Map<string, { readonly entry: NoteEntry; readonly name: string }>();
  for (const file of files) {
    const entry = file.kind === 'move' ? graph.get(file.from) : file.kind === 'change' ? graph.get(file.path) : null;
    if (entry === null || groupOf(entry, root) === null || (file.kind !== 'move' && file.kind !== 'change')) continue;
    if (file.kind === 'move' && !file.to.startsWith(`${root}/`))
      throw new RouxError(
        'INVALID_PARAMS',
        `${file.from} belongs to the knowledge graph, whose tools find notes only in ${root}/. Move it to a folder within ${root}/.`,
        { path: file.from },
      );
    const name = titleAfter(entry, file);
    if (entry.type === 'entity' && name !== entry.title) renamed.set(entry.path, { entry, name });
  }
  for (const { entry, name } of renamed.values()) checkNameIsFree(graph, { entry, name, root }, (path) => renamed.get(path)?.name ?? null);
}

function checkNameIsFree(
  graph: GraphView,
  { entry, name, root }: { readonly entry: NoteEntry; readonly name: string; readonly root: string },
  after: (path: string) => string | null,
): void {
  const [group, key] = [groupOf(entry, root), normalizeName(name)];
  for (const other of graph.entries({ under: root, includeHidden: true })) {
    if (other.path === entry.path || other.type !== 'entity' || groupOf(other, root) !== group) continue;
    if (normalizeName(after(other.path) ?? other.title) !== key) continue;
    throw new RouxError(
      'CONFLICT',
      `The group ${group} already has an entity called ${JSON.stringify(other.title)} (${other.path}); choose another name.`,
      { path: other.path, id: other.id },
    );
  }
}

/** Returns the group of an entity or episode; null for any other note. */
function groupOf({ path, type, properties }: NoteEntry, root: string): string | null {
  if (!path.startsWith(`${root}/`) || (type !== 'entity' && type !== 'episode')) return null;
  const own = properties['group_id'];
  return typeof own === 'string' && own !== '' ? own : (path.slice(root.length + 1).split('/')[0] ?? '');
}

function titleAfter({ path, title, properties }: NoteEntry, file: Extract<FileChange, { kind: 'move' | 'change' }>): string {
  for (const change of file.changes.toReversed()) {
    if ((change.op === 'set' || change.op === 'unset') && change.key.length === 1 && change.key[0] === 'title')
      return change.op === 'set' && typeof change.value === 'string' ? change.value : baseName(file.kind === 'move' ? file.to : path);
  }
  return file.kind === 'move' && properties['title'] === undefined && baseName(file.to) !== baseName(path) ? baseName(file.to) : title;
}
