import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FileSystem } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { FileChange } from '../../../src/vault/plan/plan.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

/** A vault that roux itself made in another folder: what is copied from it is right in every byte, and foreign. */
export interface Donor {
  readonly root: string;
  /** Its notes: a project, a memory, an ontology. */
  readonly notes: ReadonlyMap<string, Buffer>;
  /** Files of `.roux` by their path in it, journal and lock left out. */
  readonly home: ReadonlyMap<string, Buffer>;
  /** What writers left in the journal that died in the middle of a write. */
  readonly unfinished: readonly ReadonlyMap<string, Buffer>[];
  dispose(): void;
}

export const PROJECT = 'greenhouse';

/** Makes a donor with the built program. */
export async function makeDonor(): Promise<Donor> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-donor-')));
  await withMcp(
    { root },
    async ({ ask }) => {
      await ask('create_ontology', {
        node_types: ['person', 'place'],
        connection_types: [{ name: 'lives_in', from_types: ['person'], to_types: ['place'] }],
      });
      const ada = await ask('create_node', { title: 'Ada', type: 'person', content: 'A [[Bath]]' });
      const bath = await ask('create_node', { title: 'Bath', type: 'place', content: 'B' });
      await ask('create_connection', { type: 'lives_in', from_node_id: ada.id, to_node_id: bath.id });
      await ask('graph_open', { project: PROJECT, goal: 'Green' });
      await ask('graph_plan', {
        project: PROJECT,
        nodes: [
          { ref: 'a', summary: 'Dig' },
          { ref: 'b', summary: 'Sow', depends_on: ['a'] },
        ],
      });
      await ask('create_entities', {
        entities: [
          { name: 'tea', entityType: 'drink', observations: ['hot', 'green'] },
          { name: 'cup', entityType: 'thing', observations: [] },
        ],
      });
      await ask('create_relations', { relations: [{ from: 'cup', to: 'tea', relationType: 'holds' }] });
      await ask('create_node', { title: 'Keyed', content: 'first answer', idempotency_key: 'known-key' });
      await ask('update_node', { id: 'keyed', title: 'Keyed again' });
      const gone = await ask('create_node', { title: 'Gone', content: 'gone' });
      await ask('delete_node', { id: gone.id });
    },
    { flags: ['--toolsets', 'all'] },
  );
  const files = readBelow(root, '');
  const notes = new Map([...files].filter(([path]) => path.endsWith('.md') && !path.startsWith('.')));
  const home = new Map([...files].filter(([path]) => /^\.roux\/(?!journal|lock|tmp)/.test(path)));
  const unfinished: ReadonlyMap<string, Buffer>[] = [];
  for (const died of DEATHS) unfinished.push(await dieInWrite(root, died));
  return { root, notes, home, unfinished, dispose: () => rmSync(root, { recursive: true, force: true }) };
}

const set = [{ op: 'set', key: ['n'], value: 1 }] as const;

/** What was being written, and after how many further calls the writer died. */
const DEATHS: readonly { readonly files: readonly FileChange[]; readonly calls: number }[] = [
  { files: [{ kind: 'create', path: 'victim/new.md' as never, text: 'Made\n' }], calls: 0 },
  { files: [{ kind: 'create', path: 'victim/deep/er/new.md' as never, text: 'Made\n' }], calls: 2 },
  { files: [{ kind: 'change', path: 'ada.md' as never, changes: set, expect: {} }], calls: 0 },
  { files: [{ kind: 'change', path: 'ada.md' as never, changes: set, expect: {} }], calls: 3 },
  { files: [{ kind: 'move', from: 'bath.md', to: 'victim/bath.md', changes: [], expect: {} }], calls: 1 },
  { files: [{ kind: 'remove', path: 'keyed-again.md' as never, to: 'trash', expect: {} }], calls: 1 },
];

/** Writes until the writer dies some calls after its intent is in force, and takes what it left. */
async function dieInWrite(root: string, died: (typeof DEATHS)[number]): Promise<ReadonlyMap<string, Buffer>> {
  let callsLeft: number | null = null;
  const change = (files: FileSystem): Partial<FileSystem> => {
    const mortal = <A extends readonly unknown[], R>(call: (...args: A) => R): ((...args: A) => R) =>
      function dying(...args: A): R {
        if (callsLeft === 0) throw new Error('dead');
        if (callsLeft !== null) callsLeft -= 1;
        return call(...args);
      };
    return {
      create: mortal(files.create.bind(files)),
      append: mortal(files.append.bind(files)),
      makeFolder: mortal(files.makeFolder.bind(files)),
      link: mortal(files.link.bind(files)),
      remove: mortal(files.remove.bind(files)),
      cut: mortal(files.cut.bind(files)),
      removeFolder: mortal(files.removeFolder.bind(files)),
      rename: mortal((from: string, to: string) => {
        files.rename(from, to);
        if (to.endsWith('.json')) callsLeft ??= died.calls;
      }),
    };
  };
  const writer = openTestWriter({ root, files: wrapFiles(openNodeFileSystem(root), change) });
  await writer.write({ operation: 'planted', agent: 'eve' }, () => ({ files: died.files })).catch(() => undefined);
  const left = new Map([...readBelow(join(root, '.roux/journal'), '')].filter(([name]) => !name.startsWith('rejected')));
  for (const name of left.keys()) rmSync(join(root, '.roux/journal', name));
  rmSync(join(root, '.roux/lock'), { recursive: true, force: true });
  return left;
}

function readBelow(root: string, folder: string): Map<string, Buffer> {
  return new Map(
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry): [string, Buffer][] => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return [...readBelow(root, path)];
      return entry.isFile() ? [[path, readFileSync(join(root, path))]] : [];
    }),
  );
}
