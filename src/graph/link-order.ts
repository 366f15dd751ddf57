import type { Files } from './files.ts';
import type { Links } from './links.ts';
import type { GraphLink } from './view.ts';

/** The links of these rows by source path, then in the order of the text. */
export function readInOrder(links: Links, files: Files, rows: readonly number[]): readonly GraphLink[] {
  const wanted = new Set(rows);
  const sources = new Set(rows.map((row) => links.sourceOf(row)));
  return files
    .sorted(sources)
    .flatMap((source) => links.out(source).filter((row) => wanted.has(row)))
    .map((row) => links.read(row));
}
