import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import type { Note } from '../../note/note.ts';
import { checkConcept } from '../../note/okf/check-concept.ts';
import { checkIndex, checkLog } from '../../note/okf/check-reserved.ts';
import { pathValues } from '../../note/okf/paths.ts';
import { createLineCounter, lineOfKey } from '../../note/okf/problem.ts';
import type { OkfProblem } from '../../note/okf/problem.ts';
import { hasReservedName, INDEX } from '../../note/okf/reserved.ts';
import { parseNote } from '../../note/parse.ts';
import { fileName, folderOf } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';

/** A finding about a file of a bundle of the Open Knowledge Format. */
export interface OkfFinding extends OkfProblem {
  /** From the root of the vault. */
  readonly path: string;
}

interface FindOptions {
  /** The top folders of the bundles to check; default: all bundles of the vault. */
  readonly tops?: readonly string[];
  /** Whether links that lead nowhere are told. They do no harm to conformance. */
  readonly withLinks?: boolean;
}

type Bundled = Pick<Vault, 'graph' | 'notes'>;

/** Returns the notes of a bundle by path, reserved and excluded ones included, without those of bundles inside of it. */
export function* notesOfBundle(graph: GraphView, top: string): Generator<NoteEntry> {
  for (const entry of graph.entries({ under: top, includeHidden: true })) if (graph.bundles.topOf(entry.path) === top) yield entry;
}

/**
 * Checks the bundles of a vault against the Open Knowledge Format 0.2: its section on conformance (`error`), and what else it recommends
 * (`advice`). By path, then by line. Empty for a vault that has no bundle.
 */
export function findOkf(vault: Bundled, { tops = vault.graph.bundles.tops, withLinks = true }: FindOptions = {}): readonly OkfFinding[] {
  return tops.flatMap((top) => [...notesOfBundle(vault.graph, top)].flatMap((entry) => checkNote(vault, entry, { top, withLinks })));
}

function checkNote(
  { graph, notes }: Bundled,
  entry: NoteEntry,
  { top, withLinks }: { readonly top: string; readonly withLinks: boolean },
): readonly OkfFinding[] {
  const { path } = entry;
  const text = notes.readTextUnstable(path);
  if (text === null) {
    const message = 'it cannot be read';
    return [{ path, rule: 'encoding', level: 'error', line: 1, message, remedy: 'see whether it is a file that you may read' }];
  }
  const note = parseNote(path, text);
  const found: OkfProblem[] = [];
  if (fileName(path) === INDEX) found.push(...checkIndex(note, folderOf(path) === top));
  else if (hasReservedName(path)) found.push(...checkLog(note));
  else found.push(...checkConcept(note, entry.problems), ...checkName(path), ...checkPaths(graph, note));
  if (withLinks) for (const each of checkLinks(graph, note)) found.push(each);
  return found.sort((a, b) => a.line - b.line).map((problem) => ({ path, ...problem }));
}

/** `Index.md` is a concept, and the same file as `index.md` on many systems. */
function checkName(path: string): readonly OkfProblem[] {
  const name = fileName(path);
  if (!hasReservedName(name.toLowerCase())) return [];
  const message = `its name is ${name.toLowerCase()} for systems that do not tell cases apart, and that name is reserved`;
  return [{ rule: 'name', level: 'advice', line: 1, message, remedy: 'rename it' }];
}

function checkPaths(graph: GraphView, note: Note): readonly OkfProblem[] {
  return pathValues(note.frontmatter.data).flatMap(({ key, path }): readonly OkfProblem[] => {
    if (graph.resolve({ linkpath: path, from: note.path }).kind !== 'unresolved') return [];
    const line = lineOfKey(note.text, key, note.frontmatter.yaml);
    const remedy = 'write the path from the folder of this file, or from the top of the bundle with / before it';
    return [{ rule: 'path', level: 'advice', line, message: `${key} names ${path.slice(0, 200)}, which is not in the bundle`, remedy }];
  });
}

function checkLinks(graph: GraphView, note: Note): readonly OkfProblem[] {
  const lost = new Set(graph.links(note.path).flatMap(({ target, linkpath }) => (target.kind === 'unresolved' ? [linkpath] : [])));
  if (lost.size === 0) return [];
  const lineAt = createLineCounter(note.text);
  return note.links.flatMap(({ link, start }): readonly OkfProblem[] => {
    const { linkpath } = splitLinkText(link);
    if (!lost.delete(linkpath)) return [];
    const message = `no file is where this link leads: ${linkpath.slice(0, 200)}`;
    return [{ rule: 'link', level: 'advice', line: lineAt(start), message, remedy: 'write that concept, or mend the link' }];
  });
}
