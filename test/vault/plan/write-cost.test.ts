import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { toNotePath } from '../../../src/note/path.ts';
import { invoke } from '../../../src/ops/call/invoke.ts';
import { memoryToolset } from '../../../src/ops/memory/operations.ts';
import type { Operation } from '../../../src/ops/operation.ts';
import type { FileSystem, OpenFile, OpenFileSystem } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import type { CountedVault } from '../../../src/vault/open-vault.ts';
import { isLong } from '../../support/effort.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

/** Enough that a call for each file of the folder, or for one in ten, shows. */
const MANY = isLong ? 2_000 : 500;

const meta = { operation: 'test', agent: 'ada' };

/** Calls of a file system, as `method path` without numbers that differ from run to run. */
class CallLog {
  readonly calls: string[] = [];

  #note(method: string, path: string): void {
    this.calls.push(`${method} /${path.replaceAll(/[0-9a-z]{26}|\d+/g, '#')}`);
  }

  readonly openFileSystem: OpenFileSystem = (root) => wrapFiles(openNodeFileSystem(root), (real) => this.#logged(real));

  #logged(real: FileSystem): Partial<FileSystem> {
    const open = (path: string, file: OpenFile): OpenFile => ({
      ...file,
      write: (bytes, at) => (this.#note('write', path), file.write(bytes, at)),
      sync: () => (this.#note('sync', path), file.sync()),
      setMode: (mode) => (this.#note('setMode', path), file.setMode(mode)),
      setOwner: (owner) => (this.#note('setOwner', path), file.setOwner(owner)),
    });
    return {
      stat: (path) => (this.#note('stat', path), real.stat(path)),
      realPath: (path) => (this.#note('realPath', path), real.realPath(path)),
      list: (folder) => (this.#note('list', folder), real.list(folder)),
      read: (path, range) => (this.#note('read', path), real.read(path, range)),
      create: (path, mode) => (this.#note('create', path), open(path, real.create(path, mode))),
      append: (path) => (this.#note('append', path), open(path, real.append(path))),
      makeFolder: (path, isPrivate) => (this.#note('makeFolder', path), real.makeFolder(path, isPrivate)),
      link: (from, to) => (this.#note('link', to), real.link(from, to)),
      rename: (from, to) => (this.#note('rename', to), real.rename(from, to)),
      remove: (path) => (this.#note('remove', path), real.remove(path)),
      syncFolder: (path) => (this.#note('syncFolder', path), real.syncFolder(path)),
    };
  }
}

/** The look that earlier writes asked for comes at its own time: it asks for git's lock, and for what other processes wrote. */
const isTimed = (call: string): boolean => call.includes('/.git/') || /^(?:stat|read) \/\.roux\/history\//.test(call);

/** So many entities in one folder, and a note beside each. */
function largeFolder(count: number): Record<string, string> {
  const notes: Record<string, string> = {};
  for (let number = 0; number < count / 2; number++) {
    notes[`memory/thing/entity-${number}.md`] =
      `---\nid: e_${number}\ntitle: Entity ${number}\ntype: thing\nrev: 1\n---\n# Entity ${number}\n\n## Observations\n\n- known\n`;
    notes[`memory/thing/note-${number}.md`] = `---\ntitle: Note ${number}\nrev: 1\n---\nText\n`;
  }
  return notes;
}

type Work = (vault: CountedVault) => Promise<unknown>;

/**
 * The calls of a piece of work in a folder of 100 files and in one of many. Measured again where they differ, as what earlier writes asked
 * for comes at its own time, on a busy machine in the middle of the work: what depends on the number of files differs each time.
 */
async function fewAndMany(prepare: Work, work: Work): Promise<{ readonly few: readonly string[]; readonly many: readonly string[] }> {
  for (let attempt = 1; ; attempt++) {
    const few = (await measure(100, prepare, work)).toSorted();
    const many = (await measure(MANY, prepare, work)).toSorted();
    if (few.join('\n') === many.join('\n') || attempt === 5) return { few, many };
  }
}

/** The calls of a piece of work in a vault with so many files in its one folder; the same work was done before, on another note. */
async function measure(count: number, prepare: Work, work: Work): Promise<readonly string[]> {
  return withVault(largeFolder(count), (files) => {
    const log = new CallLog();
    return withOpen(
      files.root,
      async (vault) => {
        await prepare(vault);
        // What was just written is so young that it is looked at once more.
        await waitFor(async () => {
          log.calls.length = 0;
          await vault.refresh('changed');
          // What other processes wrote is asked for with every call.
          return log.calls.every((call) => call.includes('/.roux/history'));
        });
        log.calls.length = 0;
        await work(vault);
        return log.calls.filter((call) => !isTimed(call));
      },
      { isFollowing: false, openFileSystem: log.openFileSystem },
    );
  });
}

const setProperty =
  (number: number): Work =>
  (vault) =>
    vault.writes.write(meta, () => {
      const path = toNotePath(`memory/thing/note-${number}.md`);
      if (path === null) throw new Error('path');
      return { files: [{ kind: 'change', path, changes: [{ op: 'set', key: ['status'], value: 'new' }] }] };
    });

const create =
  (name: string): Work =>
  (vault) =>
    vault.writes.write(meta, () => ({ files: [{ kind: 'create', path: `memory/thing/${name}.md`, text: 'New\n' }] }));

const remember =
  (tool: string, args: object): Work =>
  (vault) => {
    const operation = (memoryToolset.operations as readonly Operation[]).find(({ name }) => name === tool);
    if (operation === undefined) throw new Error(`there is no tool ${tool}`);
    return invoke(operation, args, {
      vault,
      config: configSchema.parse({}),
      agent: 'ada',
      actor: 'ada/1.0',
      session: 'ada',
      writeOptions: {},
      signal: new AbortController().signal,
      progress: () => undefined,
      warn: () => undefined,
      readLog: null,
      include: () => undefined,
      takeWarnings: () => [],
      toolsets: async () => [],
    });
  };

const observe = (number: number): Work =>
  remember('add_observations', { observations: [{ entityName: `Entity ${number}`, contents: ['seen'] }] });
const enter = (name: string): Work => remember('create_entities', { entities: [{ name, entityType: 'thing', observations: ['a'] }] });

const cases: readonly { readonly name: string; readonly before: Work; readonly work: Work }[] = [
  { name: 'a changed property', before: setProperty(1), work: setProperty(2) },
  { name: 'a new note', before: create('first'), work: create('second') },
  { name: 'an observation', before: observe(1), work: observe(2) },
  { name: 'a new entity', before: enter('First'), work: enter('Second') },
];

describe('what one small write asks of the file system', () => {
  for (const { name, before, work } of cases) {
    it(`${name}: the same among 100 and among ${MANY} files in its folder, and five syncs`, async () => {
      const { few, many } = await fewAndMany(before, work);
      expect(many).toEqual(few);
      expect(many.filter((call) => /^sync/i.test(call))).toHaveLength(5);
      expect(many.filter((call) => call.startsWith('list') && !call.startsWith('list /.roux'))).toEqual([]);
      // A new file has the mode and owner of the old one already.
      expect(many.filter((call) => call.startsWith('set'))).toEqual([]);
      expect(many.length).toBeLessThanOrEqual(42);
    });
  }
});
