import type { FileOutline, ImportedNote, Outline } from './imported.ts';
import { MAX_COPIED_BYTES } from './source/limits.ts';
import { linkToken } from './tokens.ts';

/** The files of one note are written together, and so are in memory together. */
const MAX_BYTES_PER_NOTE = 64 * 1024 * 1024;
const MAX_FILES_PER_NOTE = 2_000;

/** Adds notes with links to the files that no other note shows: so they are found, and copied with these notes. */
export function withLoneFiles({ notes, files }: Outline): Outline & { readonly extra: readonly ImportedNote[] } {
  const extra = divide(files.filter(({ isAlone }) => isAlone)).map((alone, at): ImportedNote => {
    const links = alone.map(({ file, name }) => `- ${linkToken({ kind: 'file', target: file.path, shown: name })}`);
    const number = at === 0 ? '' : ` ${at + 1}`;
    return {
      id: `files that no note shows${number}`,
      title: `Other files${number}`,
      folder: '',
      properties: {},
      body: `${links.join('\n')}\n`,
      files: alone.map(({ file }) => file.path),
    };
  });
  return { notes: [...notes, ...extra], files, extra };
}

function divide(files: readonly FileOutline[]): readonly (readonly FileOutline[])[] {
  const parts: FileOutline[][] = [];
  let bytes = 0;
  for (const outline of files) {
    const part = parts.at(-1);
    const size = outline.file.size > MAX_COPIED_BYTES ? 0 : outline.file.size;
    bytes += size;
    if (part === undefined || part.length === MAX_FILES_PER_NOTE || bytes > MAX_BYTES_PER_NOTE) {
      parts.push([outline]);
      bytes = size;
    } else part.push(outline);
  }
  return parts;
}
