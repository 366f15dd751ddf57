import type { Catalog } from './catalog.ts';
import type { Changes } from './changes.ts';
import { Column, countUses } from './column.ts';
import { Entry } from './entry.ts';
import type { PropertySource } from './entry.ts';
import type { InternedStrings } from './interned-strings.ts';
import type { Files } from './links/files.ts';
import type { LinkTable } from './links/link-table.ts';
import type { PackedGraph } from './packed-graph.ts';

export interface GraphParts {
  readonly keys: InternedStrings;
  readonly files: Files;
  readonly catalog: Catalog;
  readonly links: LinkTable;
  readonly changes: Changes;
  readonly reader: PropertySource;
}

/** Packs a graph whose links are resolved, without unused numbers. */
export function* packGraph({ keys, files, catalog, links }: GraphParts): Generator<void, PackedGraph> {
  const notes = catalog.notePaths('').map((path) => files.idOf(path));
  const attachments = catalog.attachmentPaths();
  const order = [...notes, ...attachments.map((path) => files.idOf(path))];
  const numberOf = new Column();
  for (const [number, id] of order.entries()) numberOf.set(id, number);
  const linkCount = new Int32Array(notes.length);
  const rows: number[] = [];
  for (const [at, note] of notes.entries()) {
    const own = links.out(note);
    linkCount[at] = own.length;
    for (const row of own) rows.push(row);
    yield;
  }
  const { columns } = links;
  yield;
  const [keyNumbers, linkpaths, texts] = [numberStrings(keys), numberStrings(columns.linkpaths), numberStrings(columns.texts)];
  const textOf = (id: number): number => (id < 0 ? id : texts.of(id));
  const fileKey = yield* columnOf(order, (id) => keyNumbers.of(files.keyOf(id)));
  const linkpath = yield* columnOf(rows, (row) => linkpaths.of(columns.linkpath.get(row)));
  const linkpathKey = yield* columnOf(linkpaths.ids, (id) => keyNumbers.of(columns.keyOfLinkpath.get(id)));
  const subpath = yield* columnOf(rows, (row) => textOf(columns.subpath.get(row)));
  const property = yield* columnOf(rows, (row) => textOf(columns.property.get(row)));
  const flags = yield* columnOf(rows, (row) => columns.flags.get(row));
  const target = yield* columnOf(rows, (row) => (columns.target.get(row) < 0 ? -1 : numberOf.get(columns.target.get(row))));
  const { facets, facetCount, facetNotes } = yield* catalog.pack((id) => numberOf.get(id));
  return {
    entries: notes.flatMap((id) => files.entryOf(id)?.fields ?? []),
    attachments,
    keys: keyNumbers.texts,
    linkpaths: linkpaths.texts,
    texts: texts.texts,
    facets,
    columns: { fileKey, linkpathKey, linkCount, linkpath, subpath, property, flags, target, facetCount, facetNotes },
  };
}

/** Cells computed per step: less than a millisecond of work. */
const CELLS_PER_STEP = 10_000;

function* columnOf(of: readonly number[], valueOf: (one: number) => number): Generator<void, Int32Array> {
  const column = new Int32Array(of.length);
  for (let at = 0; at < of.length; at += 1) {
    column[at] = valueOf(of[at] ?? 0);
    if (at % CELLS_PER_STEP === CELLS_PER_STEP - 1) yield;
  }
  return column;
}

/** Notes loaded per step: less than a millisecond of work. */
const NOTES_PER_STEP = 200;

/** Loads a packed graph into an empty one. */
export function* unpackGraph({ keys, files, catalog, links, changes, reader }: GraphParts, packed: PackedGraph): Generator<void> {
  if (files.end > 0) throw new Error('Only an empty graph can take over a packed one.');
  const { fileKey: keyOf, linkpathKey } = packed.columns;
  keys.unpack(packed.keys, countUses(packed.keys.length, keyOf, linkpathKey));
  yield;
  for (const [number, fields] of packed.entries.entries()) {
    const id = files.unpack(fields.path);
    changes.record(id);
    files.setEntry(id, new Entry(fields, reader));
    if (number % NOTES_PER_STEP === 0) yield;
  }
  for (const path of packed.attachments) files.unpack(path);
  files.unpackKeys(keyOf, packed.keys.length);
  catalog.unpack(packed);
  yield;
  yield* links.unpack(packed);
}

/** Numbers strings in the order of first use. */
function numberStrings(strings: InternedStrings): {
  readonly ids: readonly number[];
  readonly texts: readonly string[];
  of(id: number): number;
} {
  const numbers = new Column();
  const ids: number[] = [];
  const texts: string[] = [];
  return {
    ids,
    texts,
    of(id) {
      const known = numbers.get(id);
      if (known >= 0) return known;
      numbers.set(id, texts.length);
      ids.push(id);
      return texts.push(strings.text(id)) - 1;
    },
  };
}
