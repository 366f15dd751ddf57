import { createHash } from 'node:crypto';
import type { ExportReader, FileOutline, ImportedNote, NoteOutline, NoteSource, Outline } from '../../../importing/imported.ts';
import { withLoneFiles } from '../../../importing/lone-files.ts';
import { openReader } from '../../../importing/open-export.ts';
import { MAX_COPIED_BYTES } from '../../../importing/source/limits.ts';
import { faultOf, readBytes } from '../../../importing/source/read-file.ts';
import type { SourceFile, SourceFiles } from '../../../importing/source/source-files.ts';
import { placeLinks, placeLinksIn } from '../../../importing/tokens.ts';
import type { Places } from '../../../importing/tokens.ts';
import { importNotes, MAX_NOTES_PER_WRITE } from '../../../ops/care/imports/import-notes.ts';
import type { ReadFile } from '../../../ops/care/imports/import-notes.ts';
import { placeImports } from '../../../ops/care/imports/place-imports.ts';
import type { ArgumentsOf } from '../../../ops/operation.ts';
import type { CommandContext, Status } from '../command.ts';
import { showAndImport } from './show-and-import.ts';
import type { AskedImport } from './show-and-import.ts';
import { ImportRecord } from './import-record.ts';

/** What one write holds in memory, besides notes. */
const MAX_BYTES_PER_WRITE = 64 * 1024 * 1024;
const MAX_CHARACTERS_PER_WRITE = 8 * 1024 * 1024;

const FOLDERS: Readonly<Record<Exclude<NoteSource, 'basic-memory'>, string>> = {
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  notion: 'Notion',
  logseq: 'Logseq',
};

type Batch = ArgumentsOf<(typeof importNotes)['input']>;

/** Imports an export whose parts become notes. */
export async function importNotesOf(
  context: CommandContext,
  { source, files }: { readonly source: NoteSource; readonly files: SourceFiles },
  asked: AskedImport,
): Promise<Status> {
  const into = intoOf(context, source, asked);
  const reader = openReader(source, files);
  const outline = withLoneFiles(
    await context.program.withProgress((step) => {
      step(0, 1, `reading ${files.name}`);
      return reader.outline();
    }),
  );
  const placed = await place(context, { source, into, outline, reader });
  const run = async (isRehearsal: boolean): Promise<ImportRecord> => {
    const record = new ImportRecord({ source, into: placed.into, left: [...files.left, ...reader.tally.left] });
    const writing: Writing = { context, source, extra: outline.extra, isForced: asked.isForced, isRehearsal, placed, record };
    await context.program.withProgress(async (step) => {
      await write(writing, reader, (done) => step(done, outline.notes.length, isRehearsal ? 'comparing notes' : 'importing notes'));
    });
    for (const [what, times] of reader.tally.counts) record.count(what, times);
    return record;
  };
  return showAndImport(context, asked, run);
}

/** Returns the folder of the vault that an import writes into. */
export function intoOf(context: CommandContext, source: NoteSource, asked: AskedImport): string {
  return asked.into ?? (source === 'basic-memory' ? context.host.config.memory.root : FOLDERS[source]);
}

interface Placed extends Places {
  readonly into: string;
  pathOf(id: string): string | undefined;
  readonly files: ReadonlyMap<string, { readonly outline: FileOutline; readonly path: string }>;
}

/** Asks for a place for each note and file. Two things with one id are one. */
async function place(
  context: CommandContext,
  {
    source,
    into,
    outline,
    reader,
  }: { readonly source: NoteSource; readonly into: string; readonly outline: Outline; readonly reader: ExportReader },
): Promise<Placed> {
  const notes = new Map<string, NoteOutline>();
  for (const note of outline.notes) {
    if (notes.has(note.id)) reader.tally.leave(note.title, 'something else of the export has its id');
    else notes.set(note.id, note);
  }
  const files = new Map<string, FileOutline>();
  for (const file of outline.files) {
    if (file.file.size > MAX_COPIED_BYTES)
      reader.tally.leave(file.file.path, `it has more than ${MAX_COPIED_BYTES / 1024 ** 2} MB; copy it by hand`);
    else files.set(file.file.path, file);
  }
  const { output } = await context.run(placeImports, {
    from: source,
    into,
    notes: [...notes.values()].map(({ id, title, folder }) => ({ id, title, folder })),
    files: [...files].map(([id, { name, folder, file }]) => ({ id, name, folder, size: file.size, stamp: () => stampOf(file) })),
  });
  const places = new Map(output.notes.map((each) => [each.id, each]));
  const filePlaces = new Map(output.files.map(({ id, path }) => [id, { path, outline: files.get(id)! }]));
  return {
    into: output.into,
    note: (id) => {
      const found = places.get(id);
      return found === undefined ? null : { link: found.link, title: notes.get(id)?.title ?? found.link };
    },
    file: (path) => filePlaces.get(path)?.path ?? null,
    pathOf: (id) => places.get(id)?.path,
    files: filePlaces,
  };
}

interface Writing {
  readonly context: CommandContext;
  /** The notes of no source. */
  readonly extra: readonly ImportedNote[];
  readonly source: NoteSource;
  readonly isForced: boolean;
  readonly isRehearsal: boolean;
  readonly placed: Placed;
  readonly record: ImportRecord;
}

async function* notesOf(reader: ExportReader, extra: readonly ImportedNote[]): AsyncIterable<ImportedNote> {
  yield* reader.notes();
  yield* extra;
}

/** Reads the notes of an export and writes them, in writes of a bounded size. */
async function write(writing: Writing, reader: ExportReader, onWritten: (notes: number) => void): Promise<void> {
  const { placed } = writing;
  const seen = new Set<string>();
  const copied = new Set<string>();
  let batch = empty();
  const flush = async (): Promise<void> => {
    if (batch.notes.length > 0) for (const path of await send(writing, batch)) copied.add(path);
    onWritten(seen.size);
    batch = empty();
  };
  const addFile = (sourcePath: string): void => {
    const found = placed.files.get(sourcePath);
    if (found === undefined || copied.has(found.path) || batch.files.has(found.path)) return;
    const { file } = found.outline;
    batch.files.set(found.path, { path: found.path, read: readerOf(file) });
    batch.bytes += file.size;
  };
  for await (const note of notesOf(reader, writing.extra)) {
    const path = placed.pathOf(note.id);
    if (path === undefined || seen.has(note.id)) continue;
    seen.add(note.id);
    const sizes = note.files.map((file) => placed.files.get(file)?.outline.file.size ?? 0).reduce((sum, size) => sum + size, 0);
    const isFull =
      batch.notes.length >= MAX_NOTES_PER_WRITE ||
      batch.characters + note.body.length > MAX_CHARACTERS_PER_WRITE ||
      batch.bytes + sizes > MAX_BYTES_PER_WRITE;
    if (isFull) await flush();
    batch.notes.push({ ...(await finish(note, placed)), path });
    batch.characters += note.body.length;
    for (const file of note.files) addFile(file);
  }
  await flush();
}

interface OpenBatch {
  readonly notes: Batch['notes'][number][];
  /** By path. */
  readonly files: Map<string, Batch['files'][number]>;
  characters: number;
  bytes: number;
}

function empty(): OpenBatch {
  return { notes: [], files: new Map(), characters: 0, bytes: 0 };
}

function readerOf(file: SourceFile): ReadFile {
  return async () => {
    try {
      return { bytes: await readBytes(file, MAX_COPIED_BYTES) };
    } catch (error) {
      return { fault: faultOf(error) };
    }
  };
}

/** A file that cannot be read is named when it is to be copied. */
async function stampOf(file: SourceFile | undefined): Promise<string> {
  try {
    return (await file?.stamp()) ?? '';
  } catch (error) {
    return faultOf(error);
  }
}

/** Returns the paths of the files that were copied. */
async function send(
  { context, source, isForced, isRehearsal, record }: Writing,
  { notes, files }: Pick<OpenBatch, 'notes' | 'files'>,
): Promise<readonly string[]> {
  const { output, warnings } = await context.run(importNotes, {
    from: source,
    notes,
    files: [...files.values()],
    force: isForced,
    is_rehearsal: isRehearsal,
  });
  record.add(output, warnings);
  return output.copied;
}

/** Puts the links of a note in place. What the source has is hashed without places, which may change. */
async function finish(note: ImportedNote, placed: Placed): Promise<Omit<Batch['notes'][number], 'path'>> {
  const { id, title, properties, body, aliases = [] } = note;
  const stamps = await Promise.all(note.files.map((file) => stampOf(placed.files.get(file)?.outline.file)));
  const source = createHash('sha256').update(JSON.stringify([title, properties, aliases, body, stamps]));
  return {
    id,
    title,
    aliases: [...aliases],
    properties: placeLinksIn(properties, placed) as Readonly<Record<string, unknown>>,
    body: placeLinks(body, placed),
    source: source.digest('hex').slice(0, 16),
    files: note.files.flatMap((file) => placed.file(file) ?? []),
  };
}
