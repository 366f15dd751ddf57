import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { program } from '../../support/program/cli.ts';
import { sample } from '../../support/effort.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpProcess } from '../../support/program/mcp-client.ts';
import { lookAt } from '../../support/outside.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { leftovers } from '../leftovers.ts';
import { writingProcess } from '../rounds.ts';

const NOBODY = 65_534;
const through = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
/** Only root can become somebody else. */
const canBeNobody =
  process.getuid?.() === 0 && spawnSync(through[0] ?? '', [...through.slice(1), process.execPath, program, '--version']).status === 0;

const notes = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  'a.md': 'A, see [[b]].\n',
  'b.md': 'B\n',
  'locked/c.md': 'C, see [[b]] and [[a]].\n',
  'hidden/d.md': 'D, see [[b]].\n',
  'private.md': 'Private.\n',
};

/** Without it a vault of another user's is not opened at all. */
const ALLOWED = { ROUX_ALLOW_OTHER_OWNER: '1' };

/** Runs a server as nobody, whose own files are beside the vault. */
function asNobody(vault: TestVault, run: (session: McpProcess) => Promise<void>): Promise<void> {
  return withVault({}, async (home) => {
    chownSync(home.root, NOBODY, NOBODY);
    chmodSync(vault.root, 0o755);
    await withMcp(vault, run, {
      through,
      env: { ...ALLOWED, HOME: home.root, XDG_STATE_HOME: home.path('state') },
      flags: ['--toolsets', 'all'],
    });
  });
}

/** What the files of a vault are, without what roux keeps for itself. */
const filesOf = ({ root }: TestVault): unknown =>
  Object.fromEntries(Object.entries(lookAt(root)).filter(([path]) => !path.startsWith('.roux')));

const writes = [
  ['create_node', { title: 'New' }],
  ['update_node', { id: 'a', properties: { x: 1 } }],
  ['update_node', { id: 'b', title: 'Bee' }],
  ['delete_node', { id: 'a' }],
  ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['x'] }] }],
  ['graph_open', { project: 'shed' }],
] as const;

describe.skipIf(!canBeNobody)('a server of another user than the owner', () => {
  it('F05 F11 of a vault that it may only read: reads are answered, each write says READ_ONLY, nothing is changed and it goes on', () =>
    withVault(notes, async (vault) => {
      const before = lookAt(vault.root);
      await asNobody(vault, async ({ ask, call }) => {
        for (const [tool, args] of writes) {
          const { isError, texts } = await call(tool, args);
          expect([tool, isError, texts.join()]).toEqual([tool, true, expect.stringContaining('READ_ONLY')]);
        }
        expect((await ask('get_node', { id: 'a' })).content).toContain('see [[b]]');
        expect((await ask('list_nodes', {})).total).toBe(5);
        expect((await ask('vault_health', { rebuild: true })).counts).toEqual({});
      });
      expect({ ...lookAt(vault.root), '.': 0 }).toEqual({ ...before, '.': 0 });
    }));

  it('F05 F28 with files and folders in it that it may not write or read: what concerns them is refused as a whole, the rest works', () =>
    withVault(notes, async (vault) => {
      for (const path of ['.', 'a.md', 'b.md']) chownSync(vault.path(path), NOBODY, NOBODY);
      chmodSync(vault.path('hidden'), 0o700);
      chmodSync(vault.path('private.md'), 0o600);
      const before = filesOf(vault);
      await asNobody(vault, async ({ ask, call }) => {
        for (const [tool, args] of [
          // A note with links in a folder that may not be written.
          ['update_node', { id: 'b', title: 'Bee' }],
          ['update_node', { id: 'locked/c', properties: { x: 1 } }],
          ['create_node', { title: 'New', directory: 'locked' }],
          ['create_node', { title: 'New', directory: 'hidden' }],
          ['delete_node', { id: 'locked/c' }],
        ] as const) {
          const { isError, texts } = await call(tool, args);
          expect([tool, args, isError, texts.join()]).toEqual([tool, args, true, expect.stringContaining('READ_ONLY')]);
          expect([tool, args, filesOf(vault)]).toEqual([tool, args, before]);
        }
        expect(leftovers(vault)).toEqual([]);
        // What cannot be read is told of, and is no loss.
        const { counts, findings } = await ask('vault_health', { rebuild: true });
        expect(Object.keys(counts as object)).toEqual(['vault']);
        expect(JSON.stringify(findings)).toContain('hidden');
        await ask('update_node', { id: 'a', properties: { x: 1 } });
        await ask('create_node', { title: 'Own' });
      });
      expect(vault.read('a.md')).toContain('x: 1');
      expect(vault.exists('Own.md')).toBe(true);
    }));

  for (const [what, mode] of sample(
    [
      ['not write', 0o755],
      ['not read', 0o700],
      ['list and not enter', 0o744],
    ] as const,
    3,
  )) {
    it(`F05 with a .roux that it may ${what}: reads are answered, writes refused with the reason, nothing is changed`, () =>
      withVault(notes, async (vault) => {
        for (const path of ['.', 'a.md', 'b.md', 'locked', 'locked/c.md']) chownSync(vault.path(path), NOBODY, NOBODY);
        await withMcp(vault, ({ ask }) => ask('update_node', { id: 'private', properties: { x: 1 } }), { env: ALLOWED });
        mkdirSync(vault.path('.roux/run'), { recursive: true });
        chmodSync(vault.path('.roux'), mode);
        const before = lookAt(vault.root);
        await asNobody(vault, async ({ ask, call }) => {
          expect((await ask('get_node', { id: 'a' })).content).toContain('see [[b]]');
          expect((await ask('graph_open', {})).projects).toEqual([]);
          expect((await ask('list_nodes', {})).total).toBeGreaterThan(3);
          await ask('vault_health', { rebuild: true });
          await ask('vault_health', {});
          for (const [tool, args] of writes) {
            const { isError, texts } = await call(tool, args);
            // Where not even the journal can be read, nobody knows what an earlier attempt of the call did.
            expect([tool, isError, texts.join()]).toEqual([
              tool,
              true,
              expect.stringMatching(/READ_ONLY|IO_ERROR|UNKNOWN_OUTCOME.*No permission/),
            ]);
          }
          expect((await ask('get_node', { id: 'a' })).content).toContain('see [[b]]');
        });
        expect(lookAt(vault.root)).toEqual(before);
      }));
  }

  it('F17 a lock of a user whose processes it may not signal is waited for while its holder lives, and taken over when it was killed', () =>
    withVault({ 'shared.md': 'Shared\n' }, async (vault) => {
      for (const path of ['.', 'shared.md']) chownSync(vault.path(path), NOBODY, NOBODY);
      await asNobody(vault, async ({ ask }) => {
        await ask('update_node', { id: 'shared', properties: { first: 1 } });
        for (const end of ['go', 'kill']) {
          const holder = spawn(process.execPath, [writingProcess, vault.root, 'hold'], { stdio: ['pipe', 'pipe', 'ignore'] });
          const ended = new Promise((resolve) => holder.on('close', resolve));
          let output = '';
          holder.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
          await waitFor(() => output.includes('holding'), { what: 'the holder' });
          let isDone = false;
          const writing = ask('update_node', { id: 'shared', properties: { [end]: 1 } }).then(() => (isDone = true));
          await waitFor(() => vault.list('.roux/lock').some((name) => name.startsWith('wait-')), { what: 'a waiting server' });
          expect(isDone).toBe(false);
          if (end === 'go') holder.stdin.write('go\n');
          else holder.kill('SIGKILL');
          await Promise.all([writing, ended]);
          expect(vault.read('shared.md')).toContain(`\n${end}: 1\n`);
          expect(vault.read('shared.md').includes('- held')).toBe(true);
          // What root has written stays writable for its owner.
          expect(statSync(vault.path('shared.md')).uid).toBe(NOBODY);
        }
      });
    }));
});
