import { toNotePath } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';

const MOST = 20;

/** The whole text of a note, or null. */
export function noteText(vault: Vault, path: string): string | null {
  const known = toNotePath(path);
  return known === null ? null : (vault.read(known)?.note.text ?? null);
}

/** What a vault holds, in a few numbers and names. */
export function vaultSummary(vault: Vault): Readonly<Record<string, unknown>> {
  const { graph } = vault;
  return {
    name: vault.root.slice(vault.root.lastIndexOf('/') + 1),
    notes: graph.size,
    orphans: graph.orphans().length,
    unresolved_links: graph.unresolved().length,
    types: graph.types().slice(0, MOST),
    tags: [...graph.tags()].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)).slice(0, MOST),
    hubs: graph.hubs({ metric: 'in_degree', limit: 10 }).map(({ entry, score }) => ({ id: entry.id, title: entry.title, score })),
    warnings: vault.warnings(),
  };
}

/** Words of one kind that begin like this: for completion. */
export function completeWord(vault: Vault, kind: 'note' | 'title' | 'tag' | 'type' | 'project', beginning: string): readonly string[] {
  const wanted = beginning.toLowerCase();
  const fits = (word: string): boolean => word.toLowerCase().includes(wanted);
  const starts = (word: string): number => (word.toLowerCase().startsWith(wanted) ? 0 : 1);
  return [...new Set(listWords(vault, kind).filter(fits))].sort((a, b) => starts(a) - starts(b) || (a < b ? -1 : 1));
}

function listWords(vault: Vault, kind: 'note' | 'title' | 'tag' | 'type' | 'project'): readonly string[] {
  const { graph } = vault;
  switch (kind) {
    case 'note':
      return [...graph.entries()].flatMap((entry) => [entry.path, entry.title]);
    case 'title':
      return [...graph.entries()].map((entry) => entry.title);
    case 'tag':
      return graph.tags().map(({ tag }) => tag);
    case 'type':
      return graph.types().map(({ type }) => type);
    case 'project':
      return graph.byType('project').map((entry) => projectName(entry.path, vault.config.tasks.root));
  }
}

/** `projects/<name>/…`: the folder below the root of the task graph. */
function projectName(path: string, root: string): string {
  return path.startsWith(`${root}/`) ? (path.slice(root.length + 1).split('/')[0] ?? path) : path;
}
