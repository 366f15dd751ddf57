import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withBuiltPage } from '../../support/page-server.ts';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { openTestVault, withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const now = new Date().toISOString();
const segment = `.roux/history/${now.slice(0, 7)}.jsonl`;
const HASH = '0123456789abcdef';
const BATCH = '01hzzzzzzzzzzzzzzzzzzzzzz1';
const [ID, OTHER_ID, UNKNOWN_ID] = ['n_01hzzzzzzzzzzzzzzzzzzzzzz2', 'n_01hzzzzzzzzzzzzzzzzzzzzzz3', 'n_01hzzzzzzzzzzzzzzzzzzzzzz4'];
const later = new Date(Date.now() + 3_600_000).toISOString();

const forge = (fields: object): object => ({
  seq: 50,
  timestamp: now,
  node: 'a.md',
  path: 'a.md',
  agent: 'eve',
  action: 'updated',
  changes: [],
  ...fields,
});

/** Lines that roux never writes. */
const impossible: readonly object[] = [
  ...['x', '', '2026-13-01', '2026-02-30T00:00:00.000Z', '999999-01-01', '+275760-09-14T00:00:00.000Z', '1 Jan 2027', now.slice(0, 19)].map(
    (timestamp) => ({ timestamp, hash: HASH }),
  ),
  ...[-1, 1.5, 1e300, 2 ** 53, '7', null].map((seq) => ({ seq })),
  ...['../x.md', '/etc/passwd', '.roux/x', '', 'a\u001b[31m.md', `${'x/'.repeat(100_000)}a.md`, 'a\\b.md'].map((path) => ({
    path,
    hash: HASH,
  })),
  ...['../../etc', '', 'constructor', '01HZZZZZZZZZZZZZZZZZZZZZZ1'].map((batch) => ({ batch })),
  ...['zz', '', '0', 'x'.repeat(1000)].map((hash) => ({ hash })),
  ...['', '\u001b[31mexploded', '__proto__', 7].map((action) => ({ action })),
  ...[null, {}, 'x', [null], [{ field: 'x' }], [{ field: 7, before: 1, after: 2 }]].map((changes) => ({ changes })),
  { changes: [{ field: 'x', before: null, after: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as unknown }] },
  { agent: ['eve'] },
  { node: null },
];

/** Lines of the right shape that say what is not so. */
const untrue: readonly object[] = [
  {},
  { agent: '__proto__', node: '\u001b[2J' },
  { timestamp: '9999-12-31T23:59:59.999Z', hash: HASH },
  { timestamp: '0000-01-01T00:00:00.000Z' },
  { action: 'created', hash: HASH, changes: [{ field: 'body', before: 3, after: { text: {} } }] },
  { action: 'renamed', hash: HASH, batch: BATCH, changes: [{ field: 'path', before: '../x', after: 'a.md' }] },
  { action: 'deleted', changes: [{ field: 'file', before: 'a.md', after: null }] },
  { changes: [{ field: 'links', before: [{ toString: 1, valueOf: 1 }], after: [{ toString: 1, valueOf: 1 }] }] },
  {
    changes: [
      { field: 'merged_from', before: [[1]], after: {} },
      { field: '__proto__', before: null, after: {} },
    ],
  },
  { action: 'constructor', agent: 'e'.repeat(1_000) },
];

/** A vault with a write of `claude` in it, and lines after it that somebody planted. */
function withPlanted(lines: readonly object[], run: (vault: TestVault, own: string) => Promise<void>): Promise<void> {
  return withVault({ 'a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
    await roux(vault, 'update', 'a', '--content', 'By claude.', '--agent', 'claude');
    const own = vault.read(segment);
    vault.write(segment, own + lines.map((line) => `${JSON.stringify(forge(line))}\n`).join(''));
    await run(vault, own);
  });
}

const roux = (vault: Pick<TestVault, 'root'>, ...args: string[]) => cli([...args, '--vault', vault.root]);

// oxlint-disable-next-line typescript/no-explicit-any
async function json(vault: Pick<TestVault, 'root'>, ...args: string[]): Promise<any> {
  const { stdout, stderr } = await roux(vault, ...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

/** Agents of the events of a note, with a mark at those that were not written here. */
async function told(vault: Pick<TestVault, 'root'>, note: string): Promise<readonly string[]> {
  const { events } = await json(vault, 'history', note);
  return events.map(({ agent, foreign }: { agent: string; foreign?: boolean }) => `${agent}${foreign === true ? ' (foreign)' : ''}`);
}

describe('planted lines of the history', () => {
  it('H-07 none of them ends history, review, undo or a note as it was, and fsck names those that are none', () =>
    withPlanted([...impossible, ...untrue], async (vault) => {
      expect(await told(vault, 'a')).toEqual([
        ...untrue.map((line) => `${'agent' in line ? String(line.agent) : 'eve'} (foreign)`),
        'claude',
      ]);
      const reviewed = await json(vault, 'review');
      expect(reviewed.notes).toMatchObject([{ path: 'a.md', kind: 'changed', writes: [{ agent: 'claude' }] }]);
      expect(reviewed.foreign).toMatchObject({ notes: [{ path: 'a.md' }], omitted: 0 });
      for (const args of [
        ['history', 'a'],
        ['review'],
        ['review', '--since', '2020-01-01'],
        ['review', '--by', 'eve'],
        ['get', 'a', '--at', now.slice(0, 10)],
        ['undo', '--by', 'claude', '--dry-run'],
        ['doctor'],
      ]) {
        const { status, stdout, stderr } = await roux(vault, ...args);
        expect([status, stderr.includes('Invalid'), (stdout + stderr).includes('\u001b')], args.join(' ') + stderr).toEqual([
          0,
          false,
          false,
        ]);
      }
      // A time before all that is known is an answer, and no failure.
      expect((await roux(vault, 'get', 'a', '--at', '2020-01-01')).stderr).toContain('There is no text of "a.md" as of "2020-01-01"');
      await roux(vault, 'review', '--accept');
      expect((await roux(vault, 'review')).status).toBe(0);
      const { faults, counts } = await json(vault, 'fsck');
      const none = faults.filter(({ message }: { message: string }) => message.includes('it is no line that roux writes'));
      expect(none).toHaveLength(impossible.length);
      expect(counts).toMatchObject({ events: 1 + untrue.length, foreign: untrue.length });
      await withServer(
        vault,
        async ({ ask }) => {
          const { events } = await ask('graph_history', { node_id: 'a', limit: 100 });
          expect(events.filter(({ foreign }: { foreign?: boolean }) => foreign !== true)).toMatchObject([{ agent: 'claude' }]);
        },
        { flags: ['--toolsets', 'all'] },
      );
    }));

  it('H-07 they hide none that was written here: no beginning, no rename, no low number and no segment of the future', () => {
    const hiding = [
      { action: 'created', hash: HASH },
      { action: 'renamed', hash: HASH, changes: [{ field: 'path', before: 'b.md', after: 'a.md' }] },
      { path: 'z.md', action: 'renamed', changes: [{ field: 'path', before: 'a.md', after: 'z.md' }] },
      { seq: 0 },
    ];
    return withPlanted(hiding, async (vault) => {
      vault.write('.roux/history/9998-01.jsonl', hiding.map((line) => `${JSON.stringify(forge(line))}\n`).join(''));
      await roux(vault, 'update', 'a', '--set', '{"k": 1}', '--agent', 'claude');
      const own = (agents: readonly string[]): readonly string[] => agents.filter((agent) => !agent.endsWith('(foreign)'));
      expect(own(await told(vault, 'a'))).toEqual(['claude', 'claude']);
      const { notes } = await json(vault, 'review');
      expect(notes).toMatchObject([{ path: 'a.md', kind: 'changed', writes: [{ agent: 'claude' }, { agent: 'claude' }] }]);
      // In pages that end between any two of them.
      await withServer(
        vault,
        async ({ ask }) => {
          const paged: { agent: string; foreign?: boolean }[] = [];
          for (let cursor: string | undefined; paged.length < 100;) {
            const page = await ask('graph_history', { node_id: 'a', limit: 1, ...(cursor === undefined ? {} : { cursor }) });
            paged.push(...page.events);
            cursor = page.next_cursor;
            if (cursor === undefined) break;
          }
          expect(paged.filter(({ foreign }) => foreign !== true)).toMatchObject([{ agent: 'claude' }, { agent: 'claude' }]);
        },
        { flags: ['--toolsets', 'all'] },
      );
    });
  });

  it('H-07 undo takes back what was written here, in its file, and says what it leaves', () =>
    withPlanted(
      [
        { agent: 'claude', batch: BATCH, hash: HASH },
        { path: 'b.md', action: 'renamed', changes: [{ field: 'path', before: 'a.md', after: 'b.md' }], hash: HASH },
        { agent: 'eve', batch: BATCH, hash: HASH },
      ],
      async (vault) => {
        const refused = await roux(vault, 'undo', '--by', 'eve');
        expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('was not written in this folder')]);
        expect((await roux(vault, 'undo', BATCH)).status).toBe(1);
        const { status, stderr } = await roux(vault, 'undo', '--by', 'claude');
        expect([status, stderr]).toEqual([0, expect.stringContaining('a line of "claude" not written in this folder')]);
        expect([vault.read('a.md'), vault.read('b.md')]).toEqual(['A\n', 'B\n']);
      },
    ));

  it('H-07 the mark is shown to people, and no line can say it of itself', () =>
    withPlanted([{ foreign: false }], async (vault, own) => {
      vault.write(segment, own.replace('"seq":1,', '"seq":1,"foreign":true,') + vault.read(segment).slice(own.length));
      expect((await roux(vault, 'history', 'a')).stdout.match(/\(not written here\)/g)).toHaveLength(2);
      expect((await roux(vault, 'review')).stdout).toContain('2 changes (not written here)');
      vault.write(segment, own);
      expect((await roux(vault, 'history', 'a')).stdout + (await roux(vault, 'review')).stdout).not.toContain('not written here');
    }));
});

describe('whose lines they are', () => {
  it('H-07 a folder that is moved keeps its lines; in a copy they came with it, and what is written there is its own', () =>
    withVault({}, async (outer) => {
      outer.write('one/a.md', 'A\n');
      await roux({ root: outer.path('one') }, 'update', 'a', '--content', 'One.', '--agent', 'claude');
      renameSync(outer.path('one'), outer.path('two'));
      expect(await told({ root: outer.path('two') }, 'a')).toEqual(['claude']);
      cpSync(outer.path('two'), outer.path('copy'), { recursive: true });
      const copy = openTestVault(outer.path('copy'));
      await roux(copy, 'update', 'a', '--content', 'Two.', '--agent', 'dora');
      expect(await told(copy, 'a')).toEqual(['dora', 'claude (foreign)']);
      // As a merge by git leaves it: lines of both.
      const two = openTestVault(outer.path('two'));
      two.write(segment, two.read(segment) + copy.read(segment).split('\n').slice(1).join('\n'));
      expect(await told(two, 'a')).toEqual(['dora (foreign)', 'claude']);
      expect((await json(two, 'fsck')).faults).toEqual([]);
    }));

  it('H-07 notes that come with the lines of another copy, as by a pull, are recorded as no edit; what a person makes of them then is', () =>
    withVault({}, async (outer) => {
      outer.write('one/a.md', 'A\n');
      outer.write('one/old.md', 'Old\n');
      const one = openTestVault(outer.path('one'));
      await roux(one, 'update', 'a', '--content', 'One.', '--agent', 'claude');
      const first = one.read('a.md');
      cpSync(outer.path('one'), outer.path('copy'), { recursive: true });
      const copy = openTestVault(outer.path('copy'));
      await roux(copy, 'update', 'a', '--content', 'Two.', '--agent', 'dora');
      await roux(copy, 'rename', 'old', 'New', '--agent', 'dora');
      await withServer(
        one,
        async ({ ask }) => {
          const history = async (node: string): Promise<readonly string[]> => {
            const { events } = await ask('graph_history', { node_id: node });
            return events.map(
              ({ agent, foreign }: { agent: string; foreign?: boolean }) => `${agent}${foreign === true ? ' (foreign)' : ''}`,
            );
          };
          await ask('list_nodes');
          one.write(segment, one.read(segment) + copy.read(segment).split('\n').slice(1).join('\n'));
          one.write('a.md', copy.read('a.md'));
          one.remove('old.md');
          const [moved = ''] = copy.files().filter((name) => name !== 'a.md');
          one.write(moved, copy.read(moved));
          expect(await history('a')).toEqual(['dora (foreign)', 'claude']);
          expect(await history(moved)).toEqual(['dora (foreign)']);
          // Back to what the last own line says: an edit all the same.
          one.write('a.md', first);
          expect(await waitFor(async () => ((await history('a')).length > 2 ? history('a') : null))).toEqual([
            'external',
            'dora (foreign)',
            'claude',
          ]);
        },
        { flags: ['--toolsets', 'all'] },
      );
    }));

  it('H-07 another user of the folder has not written them', () =>
    withPlanted([], async (vault) => {
      const state = mkdtempSync(join(tmpdir(), 'roux-test-state-'));
      try {
        const args = ['history', 'a', '--json', '--vault', vault.root];
        const { stdout } = await cliProcess(args, { env: { XDG_STATE_HOME: state } });
        expect(JSON.parse(stdout)).toMatchObject({ events: [{ agent: 'claude', foreign: true }] });
      } finally {
        rmSync(state, { recursive: true });
      }
    }));

  it('H-07 lines from before there were marks stay the own ones where this user wrote, whatever is added later', () =>
    withPlanted([], async (vault, own) => {
      const unmarked = own.replace(/-[0-9a-f]{16}"\}$/m, '"}');
      expect(unmarked).not.toBe(own);
      vault.write(segment, unmarked);
      expect(await told(vault, 'a')).toEqual(['claude']);
      await roux(vault, 'update', 'a', '--content', 'Again.', '--agent', 'dora');
      expect(await told(vault, 'a')).toEqual(['dora', 'claude']);
      vault.write(segment, `${vault.read(segment)}${JSON.stringify(forge({}))}\n`);
      expect(await told(vault, 'a')).toEqual(['eve (foreign)', 'dora', 'claude']);
      // What was found out once goes for good with its folder.
      vault.remove('.roux/cache');
      expect(await told(vault, 'a')).toEqual(['eve (foreign)', 'dora', 'claude']);
    }));

  it('H-07 lines without marks of a clone are nobody’s, before and after the first write', () =>
    withVault({ 'a.md': 'A\n', [segment]: `${JSON.stringify(forge({ seq: 1 }))}\n` }, async (vault) => {
      expect(await told(vault, 'a')).toEqual(['eve (foreign)']);
      await roux(vault, 'update', 'a', '--content', 'Mine.', '--agent', 'dora');
      expect(await told(vault, 'a')).toEqual(['dora', 'eve (foreign)']);
    }));
});

describe('what planted lines say is not done', () => {
  it('H-07 a later edit by a person is recorded from where the file was and with what it changed', () =>
    withPlanted(
      [
        {
          seq: 60,
          timestamp: later,
          path: 'z.md',
          action: 'renamed',
          changes: [{ field: 'path', before: 'a.md', after: 'z.md' }],
          hash: HASH,
        },
        { seq: 61, timestamp: later, path: 'b.md', hash: HASH },
      ],
      (vault) =>
        withServer(
          vault,
          async ({ ask }) => {
            await ask('list_nodes');
            vault.write('a.md', 'By a person.\n');
            vault.write('b.md', '---\nk: 1\n---\nB\n');
            for (const [node, fields] of [
              ['a', ['body']],
              ['b', ['k']],
            ] as const) {
              const own = await waitFor(async () => {
                const { events } = await json(vault, 'history', node, '--limit', '50');
                return events.find(({ agent }: { agent: string }) => agent === 'external');
              });
              expect(own.changes.map(({ field }: { field: string }) => field)).toEqual(fields);
            }
          },
          { flags: ['--toolsets', 'all'] },
        ),
    ));

  it('H-07 a missing note is looked up nowhere else: the error says what such a line says; doctor names it beside its fix', () =>
    withPlanted([{ action: 'renamed', changes: [{ field: 'path', before: 'Gone.md', after: 'a.md' }], hash: HASH }], async (vault) => {
      const before = vault.read('a.md');
      const claim = 'A line of the history that was not written in this folder says: it is a.md now.';
      for (const args of [
        ['get', 'Gone.md'],
        ['update', 'Gone.md', '--content', 'By mistake.'],
      ]) {
        const { status, stderr } = await roux(vault, ...args);
        expect([status, stderr], args.join(' ')).toEqual([1, expect.stringContaining(claim)]);
      }
      expect((await roux(vault, 'delete', 'Gone.md')).stderr).toContain(claim);
      expect(vault.read('a.md')).toBe(before);
      vault.write('c.md', 'to [[Gone]]\n');
      expect((await roux(vault, 'doctor')).stdout).toContain(
        '[[Gone]] leads nowhere; that it is a.md now is said by a line of the history that was not written here; in c.md',
      );
    }));

  it('H-07 which of several files is the note, and what became of one, is told by own lines, else by foreign ones as such', () =>
    withVault({ 'a.md': `---\nid: ${ID}\n---\nReal.\n`, 'b.md': `---\nid: ${OTHER_ID}\n---\nB.\n` }, async (vault) => {
      await roux(vault, 'update', ID, '--content', 'By claude.', '--agent', 'claude');
      await roux(vault, 'update', OTHER_ID, '--content', 'By claude.', '--agent', 'claude');
      await roux(vault, 'delete', OTHER_ID, '--agent', 'claude');
      vault.write('0.md', vault.read('a.md'));
      const lines = (...all: readonly object[]): string => all.map((line) => `${JSON.stringify(forge(line))}\n`).join('');
      vault.write('.roux/history/2001-01.jsonl', lines({ seq: 0, node: ID, path: '0.md', action: 'created', hash: HASH }));
      vault.write(
        segment,
        vault.read(segment) +
          lines(
            ...Array.from({ length: 25 }, (_, index) => ({ seq: 100 + index, node: ID, path: '0.md', hash: HASH })),
            { seq: 200, node: OTHER_ID, path: 'b.md', action: 'merged', changes: [{ field: 'merged_into', before: null, after: ID }] },
            { seq: 201, node: UNKNOWN_ID, path: 'u.md', action: 'deleted' },
          ),
      );
      expect((await json(vault, 'get', ID)).path).toBe('a.md');
      expect((await roux(vault, 'doctor', '--fix', '--dry-run')).stdout).toContain('--- a/0.md');
      expect((await roux(vault, 'get', OTHER_ID)).stderr).toContain('It was deleted by claude');
      expect((await roux(vault, 'get', UNKNOWN_ID)).stderr).toContain(
        'A line of the history that was not written in this folder says: It was removed by eve',
      );
    }));

  it('H-07 counts of agents keep them apart, and no number of such a line hides what is written later', () =>
    withPlanted([{ agent: 'claude' }, { agent: 'eve', batch: BATCH, seq: Date.now() - 1_000 }], (vault) =>
      withBuiltPage(vault, async ({ page }) => {
        const { agents } = await page('activity');
        expect(agents).toMatchObject([
          { agent: 'claude', writes: 1, foreign: 1 },
          { agent: 'eve', writes: 0, foreign: 1 },
        ]);
        await roux(vault, 'update', 'b', '--content', 'By claude.', '--agent', 'claude');
        const later = await waitFor(async () => {
          const { agents: counted } = await page('activity');
          return counted.find(({ writes }: { writes: number }) => writes > 1) === undefined ? null : counted;
        });
        expect(later).toMatchObject([
          { agent: 'claude', writes: 2, foreign: 1 },
          { agent: 'eve', writes: 0, foreign: 1 },
        ]);
      }),
    ));

  it('H-07 they excuse no loss of notes: a vault that shrinks is not written to', () =>
    withVault(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}.md`, `${at}\n`])), (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('update_node', { id: 'n99', append: 'more' });
        const gone = Array.from({ length: 70 }, (_, at) => `n${at}.md`);
        const lines = gone.map((path) => JSON.stringify(forge({ node: path, path, action: 'deleted', batch: BATCH })));
        vault.write(segment, `${vault.read(segment)}${lines.join('\n')}\n`);
        for (const path of gone) rmSync(vault.path(path));
        await waitFor(async () => (await ask('list_nodes', {})).total === 30, { what: 'the loss to be seen' });
        expect(JSON.stringify(await refuse('update_node', { id: 'n99', append: 'and more' }))).toContain('VAULT_SHRUNK');
      }),
    ));

  it('H-07 a fact that only such a line takes away is told without the name that it gives', () =>
    withVault(
      {
        'knowledge/g/entities/Alice.md': '---\ntype: entity\n---\n\n## Relations\n\n- LIKES [[Tea]]: Alice likes tea.\n',
        'Tea.md': 'A drink.\n',
      },
      async (vault) => {
        const path = 'knowledge/g/entities/Alice.md';
        const body = { text: '## Relations\n\n- LIKES [[Beer]]: Alice likes beer.\n' };
        const changes = [{ field: 'body', before: body, after: { text: '' } }];
        vault.write(segment, `${JSON.stringify(forge({ node: path, path, changes, hash: HASH }))}\n`);
        const { facts } = await json(vault, 'timeline', 'Alice');
        const gone = facts.filter(({ state }: { state: string }) => state === 'deleted');
        expect(gone).toMatchObject([{ fact: 'Alice likes beer.' }]);
        expect(gone[0]).not.toHaveProperty('deleted_by');
        const { stdout } = await roux(vault, 'timeline', 'Alice');
        expect(stdout).toContain('by a line of the history that was not written here');
        expect(stdout).not.toContain('eve');
      },
    ));
});
