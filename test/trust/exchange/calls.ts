// A vault with folders to be exchanged for links, what lies outside, and calls that read and write in them.
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allToolsets, operations } from '../../../src/ops/all.ts';
import { VaultSession } from '../../../src/ops/session.ts';
import type { Session } from '../../../src/ops/session.ts';
import type { OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';

const PRIVATE = 'PRIVATE-7411';
/** Names of notes, in the vault and outside. */
export const NAMES: readonly string[] = Array.from({ length: 8 }, (_, index) => `n${index}`);
/** Folders of notes that are exchanged: one of the root, one on the way to another, and that one. */
export const NOTE_FOLDERS: readonly string[] = ['box', 'deep', 'deep/inner'];
/** Folders that are exchanged: those of notes, and those of roux itself. */
export const VICTIMS: readonly string[] = [...NOTE_FOLDERS, '.roux/tmp', '.roux/trash', '.roux/history', '.roux/journal'];

/** Where a call is to act. */
export interface Place {
  readonly id: string;
  readonly folder: string;
  readonly index: number;
}

/** What is called, by what it does. */
export const calls = {
  create: (session: Session, { folder, index }: Place) =>
    session.run(operations.create_node, { title: `new ${index}`, directory: folder, content: 'New\n' }),
  update: (session: Session, { id, index }: Place) => session.run(operations.update_node, { id, content: `Text ${index}\n` }),
  set: (session: Session, { id, index }: Place) => session.run(operations.update_node, { id, properties: { number: index } }),
  read: (session: Session, { id }: Place) => session.run(operations.get_node, { id, depth: 1 }),
  text: (session: Session, { id }: Place) => session.run(operations.note_at, { path: id }),
  search: (session: Session) => session.run(operations.search, { query: PRIVATE.toLowerCase().split('-')[0] ?? '' }),
  async remove(session: Session, { folder, index }: Place) {
    const made = await session.run(operations.create_node, { title: `short ${index}`, directory: folder });
    return session.run(operations.delete_node, { id: (made.output as { id: string }).id });
  },
  async move(session: Session, { id, folder }: Place) {
    await session.run(operations.rename, { changes: [{ from: id, to: 'calm/' }] });
    return session.run(operations.rename, { changes: [{ from: id.replace(folder, 'calm'), to: `${folder}/` }] });
  },
} as const;

/** One run of calls, and what it must not come to. */
export interface Run {
  readonly root: string;
  readonly outside: string;
  /** Calls; the error of one that failed is returned. */
  readonly call: (what: keyof typeof calls, place: Place) => Promise<unknown>;
  /** Everything that is not as it should be, so far: answers that tell what is outside, notes known by it. */
  readonly breaches: string[];
}

/** Runs with a vault and the outside; `breaches` are complete afterwards. `isPrevented`: nothing outside may be another file, or gone. */
export async function withOutside(
  options: { openFileSystem?: OpenFileSystem; isPrevented: boolean },
  run: (at: Run) => Promise<void>,
): Promise<readonly string[]> {
  const { openFileSystem, isPrevented } = options;
  const notes = Object.fromEntries(
    [...NOTE_FOLDERS, 'calm'].flatMap((folder) => NAMES.map((name) => [`${folder}/${name}.md`, `In ${folder}, see [[n1]]\n`])),
  );
  return withVault(notes, (files) =>
    withVault({}, async (outside) => {
      for (const folder of ['', 'inner/', 'batches/', 'keys/', 'rejected/']) {
        mkdirSync(join(outside.root, folder), { recursive: true });
        for (const name of NAMES)
          writeFileSync(join(outside.root, `${folder}${name}.md`), `${PRIVATE} ${folder}${name}\n`, { mode: 0o640 });
        writeFileSync(join(outside.root, `${folder}2026-01.jsonl`), `${PRIVATE}\n`);
      }
      const before = describeTree(outside.root);
      const breaches: string[] = [];
      const tell = (output: unknown, what: string): void => {
        if (JSON.stringify(output)?.includes(PRIVATE) === true) breaches.push(`${what} answers with what is outside`);
      };
      await withOpen(
        files.root,
        async (vault) => {
          const session = new VaultSession(
            { openVault: () => Promise.resolve(vault), config: vault.settings.config, toolsets: async () => allToolsets },
            { id: 'race', agent: () => 'race' },
          );
          // Once, so that the folders of roux are there to be exchanged.
          await session.run(operations.create_node, { title: 'first', directory: 'calm' });
          await run({
            root: files.root,
            outside: outside.root,
            breaches,
            async call(what, place) {
              try {
                tell(await calls[what](session, place), `${what} ${place.id}`);
                return null;
              } catch (error) {
                tell(error instanceof Error ? error.message : error, `the error of ${what} ${place.id}`);
                return error;
              }
            },
          });
          for (const { path, title } of vault.graph.entries({ includeHidden: true }))
            if (title.includes(PRIVATE)) breaches.push(`${path} is known`);
        },
        { isFollowing: false, ...(openFileSystem === undefined ? {} : { openFileSystem }) },
      );
      const after = describeTree(outside.root);
      // Where folders cannot be held, a wrong place is noticed after the act, and what is to be taken back may be out of reach by then
      // (docs/security.md): a file can be gone from there, or one of roux's be left; no text that is there is ever another.
      for (const [path, { is, text }] of after) {
        const old = before.get(path);
        const isSame = isPrevented ? old?.is === is && old.text === text : old === undefined || old.text === text;
        if (!isSame) breaches.push(`outside: ${path} ${old?.is ?? 'was not there'} → ${is}: ${text}`);
      }
      for (const path of before.keys()) if (!after.has(path) && isPrevented) breaches.push(`outside: ${path} is gone`);
      breaches.push(...holders(files.root).map((path) => `${path} holds what is outside`));
      return breaches;
    }),
  );
}

/** What a file is (kind, rights, inode, links, time) and its text. */
function describeTree(root: string): ReadonlyMap<string, { readonly is: string; readonly text: string }> {
  const found = new Map<string, { readonly is: string; readonly text: string }>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode, ino, nlink, mtimeMs } = lstatSync(path);
    const state = entry.isFile()
      ? { is: `${mode} ${ino} ${nlink} ${mtimeMs}`, text: readFileSync(path, 'utf8') }
      : { is: 'folder', text: '' };
    found.set(path.slice(root.length + 1), state);
  }
  return found;
}

function holders(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => existsSync(path) && readFileSync(path, 'utf8').includes(PRIVATE));
}
