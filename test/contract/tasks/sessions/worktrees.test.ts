import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { openGitVault } from '../../../support/git.ts';
import { openMcp, signalAll } from '../../../support/program/mcp-client.ts';
import type { McpOptions, McpProcess } from '../../../support/program/mcp-client.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { toTaskSession } from '../task-session.ts';

interface Repository {
  readonly vault: TestVault;
  /** The folder of the vault in another worktree. */
  readonly other: string;
  readonly ids: Readonly<Record<string, string>>;
  /** What git sees changed. */
  readonly changes: () => string;
  readonly open: (root?: string, options?: McpOptions) => Promise<McpProcess>;
}

/** Runs with a repository of two worktrees whose vault, in the folder `notes`, has a project with these tasks. */
async function withWorktrees(tasks: readonly string[], run: (repository: Repository) => Promise<void>): Promise<void> {
  await withVault({ 'notes/a.md': 'A\n' }, (top) =>
    withVault({}, async (aside) => {
      const root = top.path('notes');
      const opened: McpProcess[] = [];
      const open: Repository['open'] = async (at = root, options = {}) => {
        const session = await openMcp({ root: at }, { clientName: 'code', ...options });
        opened.push(session);
        return session;
      };
      try {
        const vault = {
          ...top,
          root,
          read: (path: string) => top.read(`notes/${path}`),
          path: (path: string) => top.path(`notes/${path}`),
        };
        const ids = await withServer(
          vault,
          async (planner) => {
            await planner.ask('graph_open', { project: 'shed' });
            return toTaskSession(planner, vault).plan(tasks.map((summary) => ({ ref: summary, summary })));
          },
          { clientName: 'planner' },
        );
        writeFileSync(top.path('.gitignore'), '.roux\n');
        const repository = openGitVault(top);
        repository.git('worktree', 'add', '-q', '-b', 'other', aside.path('tree'));
        await run({ vault, other: aside.path('tree/notes'), ids, open, changes: () => repository.git('status', '--porcelain') });
      } finally {
        await Promise.all(opened.map((session) => session.close()));
      }
    }),
  );
}

const next = async (session: McpProcess, args: object = {}): Promise<readonly string[]> =>
  ((await session.ask('graph_next', { ...args })).nodes as { node: { summary: string } }[]).map(({ node }) => node.summary);

describe('claims in a git repository', () => {
  it('T-05 a claim makes no diff, is seen in all worktrees, and one task is held once among them', () =>
    withWorktrees(['Dig', 'Pour', 'Cure', 'Paint'], async ({ vault, other, ids, open, changes }) => {
      const [one, two] = [await open(), await open(other)];
      const claimed = await one.ask('graph_next', { claim: true });
      const [{ node }] = claimed.nodes;
      expect(node.properties).toEqual({ _claimed_by: 'code', _claimed_at: expect.stringMatching(/Z$/) });
      expect(changes()).toBe('');
      expect(vault.read(`projects/shed/${node.summary.toLowerCase()}.md`)).not.toContain('_claimed');
      expect(await next(two, { count: 5 })).not.toContain(node.summary);
      const { nodes } = await two.ask('graph_query', { filter: { claimed_by: 'code' } });
      expect(nodes).toMatchObject([{ id: node.id, held_by: 'code (another session)', properties: node.properties }]);
      // All at once, from both worktrees: each task has one holder.
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, at) => next(at % 2 === 0 ? one : two, { claim: true, count: 1 + (at % 3) })),
      );
      const [ofOne, ofTwo] = [0, 1].map((side) => new Set(taken.filter((_, at) => at % 2 === side).flat()));
      expect([...ofOne!].filter((summary) => ofTwo!.has(summary))).toEqual([]);
      // Taken over from the other worktree, and told there.
      await two.ask('graph_next', { claim: true, takeover: true, scope: ids[node.summary] });
      expect((await one.call('search', { query: 'x' })).texts.join('')).toContain('another session of code took it over');
      // Released with the session; the history of the task says so in both worktrees.
      await two.close();
      await waitFor(async () => (await next(one, { count: 9 })).includes(node.summary), { what: 'the release' });
      const { claims } = await one.ask('graph_history', { node_id: ids[node.summary] });
      expect(claims[0]).toMatchObject({
        agent: 'roux',
        changes: [
          { field: 'properties._claimed_by', before: 'code', after: null },
          { field: 'released', before: null, after: 'the session of code has ended' },
        ],
      });
      expect(changes()).toBe('');
    }));

  it('T-05 what a killed process held in one worktree is released by a process of the other', () =>
    withWorktrees(['Dig'], async ({ other, open }) => {
      const [one, two] = [await open(), await open(other)];
      await next(one, { claim: true });
      expect(await next(two)).toEqual([]);
      signalAll(one.pid, 'SIGKILL');
      expect(await waitFor(async () => (await next(two, { claim: true })).at(0))).toBe('Dig');
    }));

  it('T-08 T-05 the history of a project and of an agent has its claims, in every worktree and in a terminal', () =>
    withWorktrees(['Dig', 'Pour'], async ({ vault, other, ids, open }) => {
      const one = await open();
      const [first = ''] = await next(one, { claim: true });
      const two = await open(other, { clientName: 'ada' });
      const [second = ''] = await next(two, { claim: true });
      await two.ask('graph_update', { updates: [{ node_id: ids[second], properties: { _claimed_by: null } }] });
      const change = (before: string | null, after: string | null) => [{ field: 'properties._claimed_by', before, after }];
      const ofAda = [
        { agent: 'ada', action: 'updated', node_id: ids[second], summary: second, changes: change('ada', null) },
        { agent: 'ada', action: 'updated', node_id: ids[second], summary: second, changes: change(null, 'ada') },
      ];
      const ofCode = { agent: 'code', action: 'updated', node_id: ids[first], summary: first, changes: change(null, 'code') };
      for (const session of [one, two]) {
        expect((await session.ask('graph_history', { project: 'shed' })).claims).toMatchObject([...ofAda, ofCode]);
        expect((await session.ask('graph_history', { agent: 'ada' })).claims).toMatchObject(ofAda);
        expect(await session.ask('graph_history', { agent: 'ada', since: '2999-01-01' })).not.toHaveProperty('claims');
      }
      const { next_cursor: cursor } = await one.ask('graph_history', { limit: 1 });
      expect(await one.ask('graph_history', { limit: 1, cursor })).not.toHaveProperty('claims');
      const { stdout } = await cli(['tasks', 'log', '--project', 'shed', '--vault', vault.root]);
      expect(stdout).toMatch(new RegExp(`Claims:\\n.*edited by ada {2}${second}\\n {2}properties._claimed_by: nothing\\n`));
    }));

  it('T-02 T-05 what a killed process held is released by a process of another worktree whose client calls no task tool', () =>
    withWorktrees(['Dig'], async ({ vault, other, open }) => {
      const [one, two] = [await open(), await open(other)];
      await next(one, { claim: true });
      await two.ask('list_nodes');
      signalAll(one.pid, 'SIGKILL');
      const folder = join(realpathSync(join(vault.root, '..')), '.git/roux');
      const isReleased = (): boolean => readdirSync(folder).some((name) => readFileSync(join(folder, name), 'utf8').includes('has ended'));
      await waitFor(isReleased, { what: 'the release' });
      expect(await next(two)).toEqual(['Dig']);
    }));

  it('T-05 a claim that is in the note already counts, and goes from it with the next change', () =>
    withWorktrees(['Dig'], async ({ vault, open }) => {
      const file = vault.path('projects/shed/dig.md');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace(/^rev:/m, `properties:\n  _claimed_by: ada\n  _claimed_at: ${new Date().toISOString()}\nrev:`));
      const one = await open();
      expect(await next(one)).toEqual([]);
      expect(await next(one, { claim: true, takeover: true })).toEqual(['Dig']);
      expect(readFileSync(file, 'utf8')).not.toContain('_claimed');
    }));

  it('T-05 T-01 a session that claims again is given the next task, and is told what it holds, as where claims are in the notes', () =>
    withWorktrees(['Dig', 'Pour'], async ({ ids, open }) => {
      const one = await open();
      const [first] = await next(one, { claim: true });
      const second = await one.ask('graph_next', { claim: true });
      expect(second.nodes[0].node.summary).not.toBe(first);
      expect(second.your_claims).toEqual([{ id: ids[first!], summary: first }]);
      expect(await next(one, { claim: true })).toHaveLength(1);
    }));

  it('T-05 a call that cannot write its notes changes no claim', () =>
    withWorktrees(['Dig'], async ({ vault, ids, open }) => {
      const one = await open();
      expect(await next(one, { claim: true })).toEqual(['Dig']);
      const before = await one.ask('graph_history', { node_id: ids['Dig'] });
      // A body that takes no line is found out only while the note is written.
      appendFileSync(vault.path('projects/shed/dig.md'), '\n```\nnever closed\n');
      expect((await one.refuse('graph_handoff', { node_id: ids['Dig'], left: 'all' })).error.code).toBe('validation_error');
      expect((await one.ask('graph_query', { filter: { claimed_by: 'code' } })).total).toBe(1);
      expect((await one.ask('graph_history', { node_id: ids['Dig'] })).claims).toEqual(before.claims);
    }));

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/dev/null', path)],
    ['a version that nobody wrote', (path: string) => writeFileSync(path.replace(/7$/, '9'.repeat(15)), '{}')],
    ['a file in the place of its folder', (path: string) => writeFileSync(dirname(path), '')],
  ])('T-05 claims that cannot be used stop no reading and no resolving, and a claim says where and what to do: %s', (name, plant) =>
    withWorktrees(['Dig'], async ({ vault, ids, open }) => {
      const folder = join(realpathSync(join(vault.root, '..')), '.git/roux');
      const one = await open(vault.root, { flags: ['--alone'] });
      expect(await next(one)).toEqual(['Dig']);
      if (!name.includes('place')) mkdirSync(folder);
      plant(join(folder, 'claims.7'));
      const read = await one.call('graph_next');
      expect(read.isError).not.toBe(true);
      expect(read.texts.join('')).toContain(folder);
      const { code, message } = (await one.refuse('graph_next', { claim: true })).error;
      expect(code).toBe('IO_ERROR');
      expect(message).toMatch(new RegExp(`${folder} cannot be .*remove it`));
      await one.ask('graph_handoff', { node_id: ids['Dig'], left: 'all' });
      for (const resolved of [true, false]) await one.ask('graph_update', { updates: [{ node_id: ids['Dig'], resolved }] });
      rmSync(folder, { recursive: true });
      expect(await next(one, { claim: true })).toEqual(['Dig']);
    }),
  );

  it('T-05 a repository that appears or goes while the vault is served: one holder for each task, and no call fails', () =>
    withWorktrees(['Dig', 'Pour'], async ({ vault, open }) => {
      const git = join(vault.root, '../.git');
      const aside = join(vault.root, '../aside');
      renameSync(git, aside);
      const [one, two] = [await open(vault.root, { flags: ['--alone'] }), await open(vault.root, { flags: ['--alone'] })];
      const [first] = await next(one, { claim: true });
      expect(existsSync(git)).toBe(false);
      expect(await next(two)).not.toContain(first);
      renameSync(aside, git);
      const [second] = await next(two, { claim: true });
      expect(new Set([first, second]).size).toBe(2);
      expect(await next(one, { claim: true, count: 5 })).toEqual([first]);
      expect(readdirSync(join(git, 'roux')).length).toBeGreaterThan(0);
      rmSync(git, { recursive: true });
      expect(await next(two, { claim: true })).toEqual([second]);
      expect(await next(one)).toEqual([first]);
      expect(vault.read(`projects/shed/${second!.toLowerCase()}.md`)).toContain('_claimed_by: code');
    }));

  it('T-05 writes nothing into the folder of git where nothing may be written, nor through a link, nor where a planted .git leads', () =>
    withWorktrees(['Dig'], async ({ vault, open }) => {
      const common = join(vault.root, '../.git');
      const reader = await open(vault.root, { flags: ['--read-only', '--alone'] });
      await next(reader);
      expect((await reader.refuse('graph_next', { claim: true })).error.code).toBe('READ_ONLY');
      await reader.close();
      expect(existsSync(join(common, 'roux'))).toBe(false);
      // A link in the place of the folder.
      const elsewhere = join(vault.root, '../elsewhere');
      mkdirSync(elsewhere);
      symlinkSync(elsewhere, join(common, 'roux'));
      const one = await open(vault.root, { flags: ['--alone'] });
      expect((await one.call('graph_next', { claim: true })).isError).toBe(true);
      await one.close();
      expect(readdirSync(elsewhere)).toEqual([]);
      // A file that names a repository which knows nothing of it: claims stay in the notes.
      const aside = join(vault.root, '../aside');
      renameSync(common, aside);
      writeFileSync(common, `gitdir: ${aside}\n`);
      const two = await open(vault.root, { flags: ['--alone'] });
      expect(await next(two, { claim: true })).toEqual(['Dig']);
      expect(vault.read('projects/shed/dig.md')).toContain('_claimed_by: code');
      expect(lstatSync(join(aside, 'roux')).isSymbolicLink()).toBe(true);
      expect(readdirSync(elsewhere)).toEqual([]);
    }));
});
