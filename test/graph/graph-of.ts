import { openGraph } from '../../src/graph/open-graph.ts';
import type { CountedGraph } from '../../src/graph/graph.ts';
import type { FileStamp } from '../../src/graph/view.ts';
import type { Note } from '../../src/note/note.ts';
import { parseNote } from '../../src/note/parse.ts';
import { isNotePath } from '../../src/note/path.ts';
import type { NotePath } from '../../src/note/path.ts';

const stamp: FileStamp = { size: 1, mtimeNs: 1n, ctimeNs: 1n, ino: 1n };

/** What `put` wants beside the note. */
export function fileFacts(isHidden = false): { stamp: FileStamp; hash: string; isHidden: boolean } {
  return { stamp, hash: '0'.repeat(64), isHidden };
}

export function noteOf(path: string, text: string): Note {
  return parseNote(path as NotePath, text);
}

/** Put a file: a note with its text, or an attachment. */
export function putFile(
  graph: CountedGraph,
  { path, text = '', isHidden = false }: { path: string; text?: string; isHidden?: boolean },
): void {
  if (isNotePath(path)) graph.put(noteOf(path, text), fileFacts(isHidden));
  else graph.putAttachment(path);
}

/** A graph of files by path, put one by one. */
export function graphOf(files: Readonly<Record<string, string>>): CountedGraph {
  const graph = openGraph();
  for (const [path, text] of Object.entries(files)) putFile(graph, { path, text });
  return graph;
}
