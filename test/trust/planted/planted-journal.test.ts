import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { sample, turnAt } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const ID = '01hzzzzzzzzzzzzzzzzzzzzzzz';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A journal as an attacker ships it: whole, with a right checksum, and with every kind of mark that can be made up. */
function plant(vault: TestVault, steps: readonly object[], images: readonly string[], extra: object = {}): void {
  const event = {
    seq: 1,
    timestamp: '2026-01-01T00:00:00.000Z',
    node: 'x',
    path: 'x',
    agent: 'eve',
    action: 'created',
    changes: [],
    batch: ID,
  };
  const intent = {
    format: 1,
    id: ID,
    operation: 'planted',
    agent: 'eve',
    timestamp: event.timestamp,
    steps,
    events: [event],
    folders: [],
    ...extra,
  };
  const line = JSON.stringify(intent);
  const head = { format: 'roux-intent-1', sha256: hashOf(line), origin: { by: 'folder', code: hashOf(line) } };
  vault.write(`.roux/journal/${ID}.json`, `${JSON.stringify(head)}\n${line}\n`);
  for (const [index, image] of images.entries()) vault.write(`.roux/journal/${ID}.${index}`, image);
}

/** Runs beside a folder outside of the vault that must stay as it is. */
async function withOutside(run: (vault: TestVault, outside: string) => Promise<void>): Promise<void> {
  const outside = mkdtempSync(join(tmpdir(), 'roux-outside-'));
  try {
    writeFileSync(join(outside, 'private.md'), 'Private\n');
    await withVault({ 'a.md': 'A [[b]]\n', 'b.md': 'B\n' }, (vault) => run(vault, outside));
  } finally {
    rmSync(outside, { recursive: true });
  }
}

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

/** Whatever comes first finds the journal. */
const COMMANDS = [['search', 'A'], ['get', 'a'], ['doctor'], ['doctor', '--fix'], ['undo', ID]];
/** And a write after it. */
const THEN = [['create', 'New note']];

describe('a journal that came with the folder', () => {
  it('F46 nothing of it is carried out by any command, and nothing outside is made, overwritten or linked in', () =>
    withOutside(async (vault, outside) => {
      const up = '../'.repeat(20).slice(0, -1) + outside;
      const to = (name: string): string => `${up}/${name}`;
      const kinds: readonly { steps: readonly object[]; images: readonly string[]; extra?: object }[] = [
        { steps: [{ kind: 'create', path: to('made.md'), after: hashOf('made') }], images: ['made'] },
        {
          steps: [
            { kind: 'create', path: 'a.md', after: hashOf('A [[b]]\n') },
            { kind: 'create', path: to('made.md'), after: hashOf('x') },
          ],
          images: ['A [[b]]\n', 'x'],
        },
        {
          steps: [
            {
              kind: 'replace',
              path: to('private.md'),
              before: hashOf('Private\n'),
              after: hashOf('gone'),
              changes: null,
              isCommutative: false,
            },
          ],
          images: ['gone'],
        },
        {
          steps: [
            {
              kind: 'move',
              from: to('private.md'),
              to: 'stolen.md',
              before: hashOf('Private\n'),
              after: hashOf('Private\n'),
              changes: null,
              isCommutative: false,
              over: null,
              keepsFrom: true,
            },
          ],
          images: [],
        },
        { steps: [{ kind: 'remove', path: to('private.md'), before: hashOf('Private\n'), trash: null }], images: [] },
        { steps: [{ kind: 'remove', path: 'b.md', before: hashOf('B\n'), trash: to('made.md') }], images: [] },
        {
          steps: [{ kind: 'create', path: '.obsidian/plugins/x/main.js', after: hashOf('evil') }],
          images: ['evil'],
          extra: { folders: ['.obsidian', '.obsidian/plugins', '.obsidian/plugins/x'] },
        },
        { steps: [{ kind: 'create', path: 'c.md', after: hashOf('c') }], images: ['c'], extra: { folders: [to('folder')] } },
        { steps: [{ kind: 'create', path: '/etc/roux-planted', after: hashOf('x') }], images: ['x'] },
        { steps: [{ kind: 'create', path: 3, after: hashOf('x') }, null as never], images: ['x'] },
      ];
      for (const name of ['json', 'abort']) {
        for (const [index, { steps, images, extra }] of (name === 'json' ? kinds : sample(kinds, 3)).entries()) {
          rmSync(vault.path('.roux'), { recursive: true, force: true });
          plant(vault, steps, images, extra);
          if (name === 'abort') writeFileSync(vault.path(`.roux/journal/${ID}.abort`), vault.readBytes(`.roux/journal/${ID}.json`));
          let warnings = '';
          for (const command of name === 'json' ? [...turnAt(index, COMMANDS), ...THEN] : [['doctor', '--fix']]) {
            const { stderr } = await cli([...command, '--vault', vault.root]);
            warnings += stderr;
          }
          expect(warnings).toContain('.roux/journal');
          expect(contentsOf(outside)).toEqual({ 'private.md': 'Private\n' });
          expect(vault.files()).toEqual(['a.md', 'b.md', ...(name === 'json' ? ['new-note.md'] : [])]);
          expect(vault.exists('.obsidian')).toBe(false);
          expect(vault.list('.roux/journal')).toEqual(['rejected']);
          if (name === 'json') vault.remove('new-note.md');
        }
      }
    }));

  it('F46 a write of unknown origin whose paths hold is told by doctor and carried out by a person only', () =>
    withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      plant(
        vault,
        [
          { kind: 'create', path: 'made.md', after: hashOf('Made\n') },
          {
            kind: 'replace',
            path: 'a.md',
            before: hashOf('A\n'),
            after: hashOf('A2\n'),
            changes: [{ op: 'body', text: 'A2\n' }],
            isCommutative: false,
          },
        ],
        ['Made\n', 'A2\n'],
      );
      await withServer(vault, async ({ ask }) => {
        expect((await ask('get_node', { id: 'a' })).content).toBe('A\n');
        await ask('create_node', { title: 'Own', content: 'x' });
      });
      expect(vault.files()).toEqual(['a.md', 'b.md', 'own.md']);
      const found = await cli(['doctor', vault.root]);
      expect(found.stdout).toContain('made.md, a.md');
      expect(found.stdout).toContain('--fix would complete it');
      const dry = await cli(['doctor', vault.root, '--dry-run']);
      expect(dry.stdout).toContain('+A2');
      expect(vault.read('a.md')).toBe('A\n');
      const fixed = await cli(['doctor', vault.root, '--fix']);
      expect(fixed.stdout).toContain('fixed journal');
      expect([vault.read('a.md'), vault.read('made.md')]).toEqual(['A2\n', 'Made\n']);
      expect(vault.list('.roux/journal/rejected')).toEqual([]);
      expect((await cli(['doctor', vault.root])).stdout).not.toContain('journal');
    }));

  it('F46 links where the folders of .roux belong are not followed, and nothing behind them goes', () =>
    withOutside(async (vault, outside) => {
      const folders = ['', '/tmp', '/journal', '/trash', '/history', '/history/keys', '/cache', '/lock', '/run'];
      for (const name of sample(folders, 3)) {
        rmSync(vault.path('.roux'), { recursive: true, force: true });
        mkdirSync(dirname(vault.path(`.roux${name}`)), { recursive: true });
        symlinkSync(outside, vault.path(`.roux${name}`));
        const statuses: (number | null)[] = [];
        for (const command of [
          ['search', 'A'],
          ['create', 'New note'],
          ['delete', 'new-note'],
          ['restore', 'new-note'],
          ['links', 'a'],
        ]) {
          statuses.push((await cli([...command, '--vault', vault.root])).status);
        }
        expect(statuses, name).toEqual([0, 0, 0, 0, 0]);
        expect(contentsOf(outside), name).toEqual({ 'private.md': 'Private\n' });
        expect(existsSync(vault.path('new-note.md')), name).toBe(true);
        vault.remove('new-note.md');
        for (const rest of readdirSync(vault.root).filter((entry) => entry.startsWith('.roux.rejected')))
          rmSync(vault.path(rest), { recursive: true });
      }
    }));
});
