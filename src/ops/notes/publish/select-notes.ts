import type { Config } from '../../../config.ts';
import { RouxError } from '../../../errors.ts';
import { readFolders } from '../../../folder-globs.ts';
import type { NoteEntry } from '../../../graph/view.ts';
import { isPageFile } from '../../../render/syntax/live-blocks.ts';
import type { Notes, Vault } from '../../../vault/vault.ts';

/** What was chosen to be published. */
export interface Choice {
  /** Folders, notes and patterns, as `readFolders` takes them. */
  readonly paths: readonly string[];
  /** What is left out of them. */
  readonly except: readonly string[];
  /** Every note. */
  readonly all: boolean;
  /** Notes with `publish: true`. */
  readonly marked: boolean;
}

/** The chosen notes by path, and how many were left out and why. */
export interface Selection {
  readonly notes: readonly NoteEntry[];
  /** Bases and canvases in what was chosen. */
  readonly pages: readonly string[];
  readonly left: {
    /** Notes with `publish: false`. */
    readonly unmarked: number;
    /** Notes that the settings hide. */
    readonly hidden: number;
    /** Tasks, memories and facts, which are published only where their folder is named. */
    readonly machine: number;
    /** Symbolic links to notes that were not chosen: who links to a note does not publish it. */
    readonly linked: number;
  };
}

/** Returns the notes to publish. Throws `INVALID_PARAMS` if nothing was chosen, or a path has no note. */
export function selectNotes(
  { graph, notes: reads, settings }: Pick<Vault, 'graph' | 'notes' | 'settings'>,
  config: Pick<Config, 'tasks' | 'memory' | 'knowledge'>,
  choice: Choice,
): Selection {
  const entries = [...graph.entries({ includeHidden: true })];
  requireChoice(choice, entries);
  const files = [...graph.attachments()].filter((path) => isPageFile(path) && !settings.isHidden(path));
  const [chosen, excepted] = [readFolders(choice.paths), readFolders(choice.except)];
  for (const path of choice.paths) {
    const named = readFolders([path]);
    if (![...entries.map((entry) => entry.path), ...files].some((each) => named.has(each))) throw noNotes(path);
  }
  const machineFolders = [config.tasks.root, config.memory.root, config.knowledge.root].filter(
    (root) => !chosen.patterns.some((pattern) => pattern === root || pattern.startsWith(`${root}/`)),
  );
  const isMachine = (path: string): boolean => machineFolders.some((root) => path.startsWith(`${root}/`));
  const isWanted = (entry: NoteEntry): boolean => choice.all || chosen.has(entry.path) || (choice.marked && markOf(entry) === true);
  const wanted = entries.filter((entry) => isWanted(entry) && !excepted.has(entry.path));
  const notes: NoteEntry[] = [];
  const left = { unmarked: 0, hidden: 0, machine: 0, linked: 0 };
  for (const entry of wanted) {
    if (markOf(entry) === false) left.unmarked += 1;
    else if (entry.isHidden) left.hidden += 1;
    else if (isMachine(entry.path)) left.machine += 1;
    else notes.push(entry);
  }
  const paths = notes.map(({ path }) => path);
  const isOwn = ownFiles(paths, reads);
  const own = notes.filter(({ path }) => isOwn(path));
  const pages = files.filter((path) => (choice.all || chosen.has(path)) && !excepted.has(path) && !isMachine(path));
  return { notes: own, pages: pages.filter(ownFiles(pages, reads)).sort(), left: { ...left, linked: notes.length - own.length } };
}

/** Returns whether the text of a chosen file is its own, or that of another chosen one to which a symbolic link leads. */
function ownFiles(chosen: readonly string[], files: Pick<Notes, 'realPath'>): (path: string) => boolean {
  const paths = new Set(chosen.map((path) => path.normalize('NFC')));
  return (path) => paths.has(files.realPath(path)?.normalize('NFC') ?? '');
}

function requireChoice({ paths, all, marked }: Choice, entries: readonly NoteEntry[]): void {
  if (paths.length > 0 || all || marked) return;
  const count = entries.filter((entry) => markOf(entry) === true).length;
  const hint = count === 0 ? '' : ` ${count === 1 ? 'One note has' : `${count} notes have`} publish: true.`;
  throw new RouxError(
    'INVALID_PARAMS',
    `Say what to publish: folders or notes of the vault, --marked for the notes with the property publish: true, or --all for every note.${hint}`,
  );
}

/** Problems for which the properties of a note are not read, or not all of them. */
const UNREADABLE = /^frontmatter-(?:malformed|duplicate-key|too-large|executable)$/;

/**
 * Returns the value of the property `publish`, which Obsidian Publish has too, in any case; null if it is neither true nor false. In doubt it
 * is false: for `no` and `0`, and for properties that cannot be read and may have it.
 */
function markOf({ properties, problems, yaml = '' }: NoteEntry): boolean | null {
  if (problems.some(({ code }) => UNREADABLE.test(code)) && (yaml === '' || /publish/i.test(yaml))) return false;
  const words = Object.entries(properties)
    .filter(([key]) => key.trim().toLowerCase() === 'publish')
    .flatMap(([, value]) => [value].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)).trim().toLowerCase()));
  if (words.some((word) => /^(?:false|no|n|off|0)$/.test(word))) return false;
  return words.includes('true') ? true : null;
}

function noNotes(path: string): RouxError {
  return new RouxError(
    'NODE_NOT_FOUND',
    `No note of the vault is in ${JSON.stringify(path)}. Name folders and notes from the vault's root on.`,
  );
}
