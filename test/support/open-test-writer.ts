import { readFileSync, readdirSync } from 'node:fs';
import type { Graph } from '../../src/graph/graph.ts';
import { openGraph } from '../../src/graph/open-graph.ts';
import { decodeNote, parseNote } from '../../src/note/parse.ts';
import { isIgnoredName, toNotePath } from '../../src/note/path.ts';
import type { Ports } from '../../src/ports.ts';
import type { FileSystem } from '../../src/store/folder/file-system.ts';
import { createGitActivity } from '../../src/store/folder/git.ts';
import { hashOf } from '../../src/store/folder/hash.ts';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { thisProcess } from '../../src/store/folder/process-identity.ts';
import type { ProcessIdentity } from '../../src/store/folder/process-identity.ts';
import { openFolderStore } from '../../src/store/open-folder-store.ts';
import type { FolderStore } from '../../src/store/folder-store.ts';
import { WriteCounts } from '../../src/vault/history/write-counts.ts';
import { ExternalEdits } from '../../src/vault/plan/external-edits.ts';
import { reapplyChanges } from '../../src/vault/plan/note-text.ts';
import type { PrepareOptions } from '../../src/vault/plan/prepare.ts';
import { openWriter } from '../../src/vault/plan/write.ts';
import type { Writer, WriterOptions } from '../../src/vault/plan/writer.ts';
import { testPorts } from './test-ports.ts';

/** A writer with a store and a graph of its own, as the vault gives it them. */
export interface TestWriter extends Writer {
  readonly graph: Graph;
  readonly store: FolderStore;
  /** Ends what a crash left, and returns what is told of it. */
  recover(): Promise<readonly string[]>;
  /** Reads files into the graph, as the watcher does. */
  index(paths: readonly string[]): void;
  /** Messages that were logged. */
  readonly log: readonly string[];
}

/** The reading that a test's graph needs; the real folder's, or a simulated one's. Paths are vault-relative. */
export interface TestReader {
  read(path: string): Uint8Array | null;
  /** All visible files. */
  files(): readonly string[];
}

/** What a test may set. */
export interface TestWriterOptions {
  readonly root: string;
  readonly files?: FileSystem;
  readonly reader?: TestReader;
  readonly identity?: ProcessIdentity;
  readonly ports?: Ports;
  readonly config?: { readonly durability?: 'full' | 'relaxed'; readonly readOnly?: boolean; readonly trashDays?: number };
  readonly isShrunk?: () => boolean;
  /** What the writer gets instead of what it would get. */
  readonly overrides?: Partial<WriterOptions>;
}

/** Options of `prepare` for a vault without a history. */
export const uncounted: Pick<PrepareOptions, 'findCount' | 'isEdited' | 'isStamping'> = {
  findCount: () => Promise.resolve(() => 0),
  isEdited: () => false,
  isStamping: false,
};

/** Opens a writer on a folder, its graph filled with every note there. */
export function openTestWriter(options: TestWriterOptions): TestWriter {
  const { root, reader = readerOf(root), config = {} } = options;
  const graph = openGraph();
  const log: string[] = [];
  const ports = options.ports ?? testPorts(log);
  const index = (paths: readonly string[]): void => {
    for (const path of paths) {
      const notePath = toNotePath(path);
      if (notePath === null) continue;
      const bytes = reader.read(path);
      if (bytes === null) graph.remove(path);
      else
        graph.put(parseNote(notePath, decodeNote(bytes).text), {
          stamp: { size: bytes.length, mtimeNs: 0n, ctimeNs: 0n, ino: 0n },
          hash: hashOf(bytes),
        });
    }
  };
  index(reader.files());
  const store = openFolderStore({
    files: options.files ?? openNodeFileSystem(root),
    ports,
    self: options.identity ?? thisProcess(),
    git: options.files === undefined ? createGitActivity(root) : { waitUntilDone: () => Promise.resolve(false) },
    reapply: reapplyChanges,
    isReadOnly: config.readOnly ?? false,
    isSynced: config.durability !== 'relaxed',
    trashDays: config.trashDays ?? 0,
  });
  const external = new ExternalEdits(ports, graph);
  const reports: string[] = [];
  store.listen({ onEvents: (events) => external.applyEvents(events), onChanged: index, onReport: (message) => void reports.push(message) });
  const writer = openWriter({
    store,
    ports,
    config: { readOnly: config.readOnly ?? false, filenames: 'title' },
    settings: { linkStyle: () => ({ format: 'shortest', markdown: false }), config: { writes: { blind: 'warn', stamp: false } } },
    graph,
    external,
    counts: new WriteCounts(store.records.events, external),
    catchUp: async (depth) => {
      if (depth === 'strict') index(reader.files());
    },
    index,
    sync: {
      get isShrunk() {
        return options.isShrunk?.() ?? false;
      },
    },
    rootCheck: { look: () => 'there' },
    unsettled: { linksTo: () => [] },
    onUnsettled: () => undefined,
    isRecording: true,
    ...options.overrides,
  });
  return {
    ...writer,
    graph,
    store,
    index,
    log,
    async recover() {
      reports.length = 0;
      await store.recover();
      return [...reports];
    },
    async close() {
      await writer.close();
      await store.close();
    },
  };
}

function readerOf(root: string): TestReader {
  return {
    read(path) {
      try {
        return readFileSync(`${root}/${path}`);
      } catch {
        return null;
      }
    },
    files: () => listFiles(root, ''),
  };
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(folder === '' ? root : `${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (isIgnoredName(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(root, path) : [path];
  });
}
