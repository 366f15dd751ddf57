import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { RouxError } from '../../../errors.ts';
import { linkKey, baseName, checkName, checkPath, fileNameFor, foldKey, isIgnoredName, joinPath } from '../../../note/path.ts';
import type { GraphView } from '../../../graph/view.ts';
import { firstBytes } from '../../../note/text.ts';
import { findImported } from '../../imports/find-imported.ts';
import { importedId } from '../../imports/import-state.ts';
import { defineOperation } from '../../operation.ts';

const noteInput = z.object({ id: z.string().min(1), title: z.string().min(1), folder: z.string() });
const fileInput = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  folder: z.string(),
  size: z.int().min(0),
  /** A function that returns the CRC-32 of the file and its size (`ReadStamp`). */
  stamp: z.unknown(),
});

const input = z.strictObject({
  from: z.string().min(1).describe('The program'),
  into: z.string().describe('The folder; empty: the top of the vault'),
  notes: z.array(noteInput).describe('Ids and titles at the source'),
  files: z.array(fileInput).describe('What notes show, with sizes in bytes'),
});

/** Returns a text that is equal for equal contents: the CRC-32 in eight hex digits, a hyphen and the size. */
type ReadStamp = () => Promise<string>;

/** Where something of an export is, or will be. */
export interface ImportPlace {
  readonly id: string;
  /** Vault-relative. */
  readonly path: string;
}

/** Where a note is, and how links write it: by its name alone where that leads nowhere else. */
export interface NotePlace extends ImportPlace {
  readonly link: string;
}

/** The end of a name that tells it from others, and room for it. */
const MARK_DIGITS = 8;
const MAX_NAME_BYTES = 160;
/** Of a source; what is nested deeper goes into the last one. */
const MAX_FOLDERS = 20;
const MAX_FOLDER_CHARACTERS = 600;

/** Finds or chooses the places of all notes and files of an export, so that links to them can be written. */
export const placeImports = defineOperation({
  name: 'place_imports',
  toolset: null,
  title: 'Place an import',
  summary: 'Chooses where the notes and files of an export go.',
  effect: 'read',
  isOfWholeVault: true,
  isIdempotent: true,
  input,
  async run({ vault, config }, { from, into, notes, files }) {
    await vault.refresh('changed');
    const top = checkFolder(into);
    const names = new Names(vault.graph, config.filenames, {
      size: (path) => vault.notes.timesOf(path)?.size ?? null,
      stamp: (path) => stampOf(vault.notes.readBytes(path) ?? new Uint8Array()),
    });
    // What is there already keeps its place, whatever else comes.
    const known = notes.map((note) => {
      return findImported(vault, importedId('n', { from, id: note.id }))?.path ?? null;
    });
    for (const path of known) if (path !== null) names.reserve(path);
    const placed = notes.map(({ id, title, folder }, at) => ({
      id,
      path: known[at] ?? names.note({ title, id, folder: below(top, names.folder(folder)) }),
    }));
    const filed: ImportPlace[] = [];
    for (const { id, name, folder, size, stamp } of files) {
      const path = await names.file({ id, name, size, folder: below(top, names.folder(folder)), stamp: stamp as ReadStamp });
      filed.push({ id, path });
    }
    return { into: top, notes: placed.map((place): NotePlace => ({ ...place, link: names.linkTo(place.path) })), files: filed };
  },
});

/** Returns the folder of an import. Throws `INVALID_PARAMS` for one that no note can be in. */
function checkFolder(given: string): string {
  const folder = given.replace(/(?<!\/)\/+$/, '').normalize('NFC');
  if (given === '' || folder === '.') return '';
  const fault = folder === '' || given.startsWith('/') ? 'it is not relative to the vault' : checkPath(folder);
  if (fault === null) return folder;
  throw new RouxError('INVALID_PARAMS', `${JSON.stringify(given)} cannot be the folder of an import: ${fault}.`, { field: 'into' });
}

/** `''` is the folder above, or the top of the vault. */
function below(top: string, folder: string): string {
  return folder === '' ? top : joinPath(top, folder);
}

interface NamedFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly folder: string;
  readonly stamp: ReadStamp;
}

/** What the files of the vault are like. */
interface Present {
  readonly size: (path: string) => number | null;
  readonly stamp: (path: string) => string;
}

/** Chooses names that are free in the vault, and in this import. */
class Names {
  readonly #graph: GraphView;
  readonly #style: 'slug' | 'title';
  readonly #present: Present;
  readonly #taken = new Set<string>();
  /** How many of this import have a name, wherever they are. */
  readonly #sharers = new Map<string, number>();
  readonly #folders = new Map<string, string>();

  constructor(graph: GraphView, style: 'slug' | 'title', present: Present) {
    this.#graph = graph;
    this.#style = style;
    this.#present = present;
  }

  reserve(path: string): string {
    this.#taken.add(foldKey(path));
    const name = foldKey(baseName(path));
    this.#sharers.set(name, (this.#sharers.get(name) ?? 0) + 1);
    return path;
  }

  /** Returns names of folders for those of a source. */
  folder(given: string): string {
    const known = this.#folders.get(given);
    if (known !== undefined) return known;
    const names = given
      .split('/')
      .filter((name) => name.trim() !== '')
      .map((name) => firstBytes(baseName(fileNameFor(name, this.#style)), MAX_NAME_BYTES).trim())
      // A folder of programs, or of a system, in which no note is read.
      .map((name) => (isIgnoredName(name) || checkName(name) !== null ? `${name} folder` : name))
      .slice(0, MAX_FOLDERS);
    while (names.join('/').length > MAX_FOLDER_CHARACTERS) names.pop();
    const folder = names.join('/');
    this.#folders.set(given, folder);
    return folder;
  }

  note({ title, id, folder }: { readonly title: string; readonly id: string; readonly folder: string }): string {
    const stem = firstBytes(baseName(fileNameFor(title, this.#style)), MAX_NAME_BYTES).trim();
    const space = this.#style === 'slug' ? '-' : ' ';
    let path = joinPath(folder, `${stem}.md`);
    // The mark follows from the id, so that the order of an export does not matter.
    for (let attempt = 0; !this.#isFree(path); attempt += 1)
      path = joinPath(folder, `${stem}${space}${markOf(attempt === 0 ? id : `${id} ${attempt}`)}.md`);
    return this.reserve(path);
  }

  /** A file that is there already, with the same content, is the same one. */
  async file({ id, name, size, folder, stamp }: NamedFile): Promise<string> {
    const [, rest = name, given = ''] = /^(.+)\.([A-Za-z0-9]{1,12})$/s.exec(name) ?? [];
    // Only notes of the export become notes.
    const extension = given === '' ? '' : /^md$/i.test(given) ? '.md.txt' : `.${given}`;
    const stem = firstBytes(baseName(fileNameFor(rest, 'title')), MAX_NAME_BYTES).trim();
    const pathFor = (mark: string): string => {
      const whole = `${stem}${mark}${extension}`;
      return joinPath(folder, isIgnoredName(whole) ? `${whole}.bin` : whole);
    };
    const isOurs = async (path: string): Promise<boolean> => {
      if (this.#taken.has(foldKey(path))) return false;
      const there = this.#at(path);
      if (there === undefined) return true;
      return there === path && this.#present.size(path) === size && this.#present.stamp(path) === (await stamp());
    };
    for (const mark of ['', ` ${markOf(id)}`]) if (await isOurs(pathFor(mark))) return this.reserve(pathFor(mark));
    return this.reserve(pathFor(` ${markOf(`${id} ${await stamp()}`)}`));
  }

  /** Returns the name of a note if it leads to the note alone, else its path. */
  linkTo(path: string): string {
    const name = baseName(path);
    const isAlone = this.#sharers.get(foldKey(name)) === 1 && this.#graph.byKey(linkKey(name)).every((other) => other === path);
    return isAlone ? name : path.replace(/\.md$/i, '');
  }

  #isFree(path: string): boolean {
    return !this.#taken.has(foldKey(path)) && this.#at(path) === undefined;
  }

  /** The file of the vault at a path, in whatever case. */
  #at(path: string): string | undefined {
    return this.#graph.byKey(linkKey(path)).find((other) => foldKey(other) === foldKey(path));
  }
}

function stampOf(bytes: Uint8Array): string {
  return `${crc32(bytes).toString(16).padStart(8, '0')}-${bytes.length}`;
}

function markOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, MARK_DIGITS);
}
