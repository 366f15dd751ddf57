import type { GraphView, NoteEntry } from '../../graph/view.ts';
import { composeGenerated, readGenerated, replaceGenerated } from '../../note/okf/generated.ts';
import { composeIndex } from '../../note/okf/index-text.ts';
import type { IndexContent } from '../../note/okf/index-text.ts';
import { hasReservedName, INDEX, OKF_VERSION, VERSION_KEY } from '../../note/okf/reserved.ts';
import { fileName, folderOf, foldersAbove, joinPath } from '../../note/path.ts';
import type { NotePath } from '../../note/path.ts';
import { compareText } from '../../note/text.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { notesOfBundle } from './find-okf.ts';

/** What happens to one generated file. */
export interface IndexOutcome {
  readonly path: string;
  readonly what: 'new' | 'changed' | 'same' | 'yours';
}

export interface PlannedIndexes {
  readonly files: readonly FileChange[];
  readonly outcomes: readonly IndexOutcome[];
}

export interface Reading {
  readonly graph: GraphView;
  /** Returns the present text of a note; null when there is none. */
  readonly readText: (path: NotePath) => string | null;
  /** Returns whether something that is no note has a name already, such as a folder or a link that leads nowhere. */
  readonly isTaken: (path: string) => boolean;
}

/** What the `index.md` at the top of a bundle begins with. */
export const VERSION_HEAD = `---\n${VERSION_KEY}: "${OKF_VERSION}"\n---\n\n`;
/** The type of concepts that have none. */
const NO_TYPE = 'Concepts';

/**
 * Plans the `index.md` of every folder of a bundle. Only what is between roux's marks is replaced; a file without marks is a person's and
 * stays. `isKeeping`: files that are not there are not made. `attachments`: those of the bundle.
 */
export function planIndexes(
  vault: Reading,
  top: string,
  { isKeeping, attachments }: { readonly isKeeping: boolean; readonly attachments: readonly string[] },
): PlannedIndexes {
  const { graph, isTaken } = vault;
  const hasIndex = (path: string): boolean => graph.get(path) !== null || (!isKeeping && !isTaken(path));
  const contents = listFolders({
    top,
    concepts: [...notesOfBundle(graph, top)].filter(({ path }) => !hasReservedName(path)).map(listedConcept),
    files: attachments,
    hasIndex: (folder) => hasIndex(joinPath(folder, INDEX)),
  });
  return joinPlans(
    [...contents].map(([folder, content]) => {
      const head = folder === top ? VERSION_HEAD : '';
      const compose = (): string => composeIndex(content);
      return planFile(vault, { path: joinPath(folder, INDEX), what: 'index', head, isKeeping, compose });
    }),
  );
}

/** Plans one generated file. `compose` is given what is in it now. */
export function planFile(
  { graph, readText, isTaken }: Reading,
  file: {
    readonly path: string;
    readonly what: 'index' | 'log';
    readonly head: string;
    readonly isKeeping: boolean;
    readonly compose: (present: string) => string;
  },
): PlannedIndexes {
  const { path, what, head, isKeeping, compose } = file;
  const entry = graph.get(path);
  if (entry === null) {
    if (isKeeping) return { files: [], outcomes: [] };
    if (isTaken(path)) return { files: [], outcomes: [{ path, what: 'yours' }] };
    const text = head + composeGenerated(what, compose(''));
    return { files: [{ kind: 'create', path, text }], outcomes: [{ path, what: 'new' }] };
  }
  const text = readText(entry.path) ?? '';
  const present = readGenerated(text, what);
  if (present === null) return { files: [], outcomes: [{ path, what: 'yours' }] };
  const next = replaceGenerated(text, what, compose(present));
  if (next === null || next === text) return { files: [], outcomes: [{ path, what: 'same' }] };
  return {
    files: [{ kind: 'change', path: entry.path, changes: [{ op: 'text', text: next }], expect: { etag: entry.hash } }],
    outcomes: [{ path, what: 'changed' }],
  };
}

export function joinPlans(plans: readonly PlannedIndexes[]): PlannedIndexes {
  return { files: plans.flatMap(({ files }) => files), outcomes: plans.flatMap(({ outcomes }) => outcomes) };
}

/** Returns a concept as an index lists it. */
export function listedConcept({ path, title, type, properties: { description } }: NoteEntry): ListedConcept {
  return { path, title, type, description: typeof description === 'string' ? description : null };
}

/** Lists what is in each folder of a bundle that has a concept in it or below. */
export function listFolders(bundle: {
  readonly top: string;
  readonly concepts: Iterable<ListedConcept>;
  readonly files: Iterable<string>;
  readonly hasIndex: (folder: string) => boolean;
}): ReadonlyMap<string, IndexContent> {
  const { top, hasIndex } = bundle;
  const folders = new Map<string, ListedFolder>([[top, emptyFolder()]]);
  for (const concept of bundle.concepts) {
    const own = folderOf(concept.path);
    for (const each of [own, ...foldersAbove(own)].filter((one) => one !== '' && isInside(one, top))) {
      const folder = folders.get(each) ?? emptyFolder();
      folders.set(each, folder);
      folder.total += 1;
      if (concept.type !== null) folder.types.add(concept.type);
    }
    folders.get(own)?.concepts.push(concept);
  }
  for (const [path, { total, types }] of folders)
    if (path !== top)
      folders.get(folderOf(path))?.folders.push({ name: fileName(path), hasIndex: hasIndex(path), concepts: total, types: [...types] });
  for (const path of bundle.files) folders.get(folderOf(path))?.files.push(fileName(path));
  return new Map([...folders].sort(([a], [b]) => compareText(a, b)).map(([path, folder]) => [path, toContent(folder)]));
}

export interface ListedConcept {
  readonly path: string;
  readonly title: string;
  readonly type: string | null;
  readonly description: string | null;
}

interface ListedFolder {
  readonly concepts: ListedConcept[];
  readonly folders: IndexContent['folders'][number][];
  readonly files: string[];
  /** Of the concepts in it and below. */
  readonly types: Set<string>;
  total: number;
}

function emptyFolder(): ListedFolder {
  return { concepts: [], folders: [], files: [], types: new Set(), total: 0 };
}

function toContent({ concepts, folders, files }: ListedFolder): IndexContent {
  const listed = concepts.map(({ path, type, ...rest }) => ({ ...rest, file: fileName(path), type: type ?? NO_TYPE }));
  return { concepts: listed, folders, files };
}

function isInside(folder: string, top: string): boolean {
  return top === '' || folder === top || folder.startsWith(`${top}/`);
}
