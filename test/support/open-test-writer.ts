import { readdirSync, readFileSync } from 'node:fs';
import { nodeFileSystem } from '../../src/disk/file-system.ts';
import type { FileSystem } from '../../src/disk/file-system.ts';
import type { ProcessIdentity } from '../../src/disk/process-identity.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { decodeNote, parseNote } from '../../src/note/parse.ts';
import { isIgnoredName, toNotePath } from '../../src/note/path.ts';
import { hashOf } from '../../src/vault/content.ts';
import { openWriter } from '../../src/vault/writer.ts';
import type { Writer, WriterOptions } from '../../src/vault/writer.ts';
import { testPorts } from './test-ports.ts';

/** A writer with a graph of its own beside it, as the vault gives it one. */
export interface TestWriter extends Writer {
  readonly graph: Graph;
  /** Reads files into the graph, as the watcher does. */
  index(paths: readonly string[]): void;
  /** Messages that were logged. */
  readonly log: readonly string[];
}

/** The reading that a test's graph needs; the real disk's, or a simulated one's. */
export interface TestReader {
  read(path: string): Uint8Array | null;
  /** Vault-relative paths of all visible files. */
  files(root: string): readonly string[];
}

/** Opens a writer on a folder, its graph filled with every note there. */
export function openTestWriter(
  options: { root: string; files?: FileSystem; reader?: TestReader; identity?: ProcessIdentity } & Partial<
    Pick<WriterOptions, 'ports' | 'config' | 'isShrunk'>
  >,
): TestWriter {
  const { root, reader = realReader } = options;
  const graph = openGraph();
  const log: string[] = [];
  const index = (paths: readonly string[]): void => {
    for (const path of paths) {
      const notePath = toNotePath(path);
      if (notePath === null) continue;
      const bytes = reader.read(`${root}/${path}`);
      if (bytes === null) graph.remove(path);
      else
        graph.put(parseNote(notePath, decodeNote(bytes).text), {
          stamp: { size: bytes.length, mtimeNs: 0n, ctimeNs: 0n, ino: 0n },
          hash: hashOf(bytes),
        });
    }
  };
  index(reader.files(root));
  const writer = openWriter({
    root,
    files: options.files ?? nodeFileSystem(),
    ports: options.ports ?? testPorts(log),
    config: options.config ?? { durability: 'full', readOnly: false },
    graph,
    catchUp: async (depth) => {
      if (depth === 'strict') index(reader.files(root));
    },
    index,
    isShrunk: options.isShrunk ?? (() => false),
    ...(options.identity === undefined ? {} : { identity: options.identity }),
  });
  return { ...writer, graph, index, log };
}

const realReader: TestReader = {
  read(path) {
    try {
      return readFileSync(path);
    } catch {
      return null;
    }
  },
  files: (root) => listFiles(root, ''),
};

function listFiles(root: string, folder: string): string[] {
  return readdirSync(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (isIgnoredName(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(root, path) : [path];
  });
}
