import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { McpInside } from '../../support/program/mcp-server.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { testEnvironment } from '../../support/program/cli.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const NOTES = ['--all', '--', ':!.roux'];
const SIX = ['one', 'two', 'three', 'four', 'five', 'six'];

/** The events of the history, by who is said to have done what. */
const authors = (vault: TestVault): readonly string[] =>
  vault
    .list('.roux/history')
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => vault.read(`.roux/history/${file}`).split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as { agent: string; operation?: string; action: string; path: string })
    .map(({ agent, action, path }) => `${agent} ${action} ${path}`);

/** What the tools say of a tree: notes, links, tags, words, tasks, entities. */
async function answers({ ask, call }: McpInside) {
  const { value, texts } = await call('list_nodes', {});
  const { nodes } = value;
  const tasks = await ask('graph_query', { project: 'shed' });
  const graph = await ask('read_graph');
  const hits = await ask('search', { query: 'marker', limit: 50 });
  return {
    // No alarm beside it.
    told: texts.slice(1),
    notes: nodes.map(({ id, title }: { id: string; title: string }) => `${id} ${title}`).toSorted(),
    neighbors: (await ask('get_neighbors', { id: 'hub.md', direction: 'in' })).map(({ id }: { id: string }) => id).toSorted(),
    tagged: (await ask('search_by_tags', { tags: ['t'] })).map(({ id }: { id: string }) => id).toSorted(),
    hits: hits.map(({ id }: { id: string }) => id).toSorted(),
    tasks: tasks.nodes.map(({ summary, resolved }: { summary: string; resolved: boolean }) => `${summary} ${resolved}`).toSorted(),
    entities: graph.entities,
    relations: graph.relations,
    text: (await ask('get_node', { id: 'hub.md' }))?.content ?? null,
  };
}

/** Waits until a running server answers as one that starts now, and looks whether anything was written, said or held wrongly. */
async function followed(session: McpInside, vault: GitVault, what: string): Promise<void> {
  const fresh = await withServer(vault, answers, { flags: ['--toolsets', 'all', '--read-only'] });
  await waitFor(async () => JSON.stringify(await answers(session)) === JSON.stringify(fresh), { what: `the tree after ${what}` });
  expect(vault.git('status', '--porcelain', '--untracked-files=no'), what).toBe('');
  expect((await session.host.state()).warnings, what).toEqual([]);
}

async function setUp(vault: TestVault): Promise<void> {
  await withServer(
    vault,
    async ({ ask }) => {
      await ask('graph_open', { project: 'shed', goal: 'A shed' });
      await ask('graph_plan', { nodes: SIX.map((ref) => ({ ref, summary: `Task ${ref}` })) });
      await ask('create_entities', { entities: SIX.map((name) => ({ name, entityType: 'x', observations: [`first of ${name}`] })) });
      await ask('create_relations', { relations: [{ from: 'one', to: 'two', relationType: 'knows' }] });
    },
    { flags: ['--toolsets', 'all'], clientName: 'ada' },
  );
}

const files = {
  'hub.md': 'Hub\n',
  ...Object.fromEntries(SIX.map((name) => [`n-${name}.md`, `---\ntags: [t]\n---\nmarker [[hub]] ${name}\n`])),
};

describe.skipIf(!hasGit)('git under a running server', () => {
  it(
    'X-21 checkout, reset, stash and rebase: every tool answers for the new tree, no wrong author, no false alarm, no note written',
    () =>
      withVault(files, async (plain) => {
        await setUp(plain);
        const vault = openGitVault(plain, NOTES);
        vault.git('checkout', '--quiet', '-b', 'other');
        // Another tree altogether: notes gone, renamed, new and changed, a task resolved, an entity told more, half of the notes away.
        for (const name of SIX.slice(1)) vault.remove(`n-${name}.md`);
        vault.git('mv', 'projects/shed/task-one.md', 'projects/shed/renamed.md');
        for (const name of SIX.slice(2)) vault.remove(`memory/x/${name}.md`);
        for (const name of SIX.slice(3)) vault.remove(`projects/shed/task-${name}.md`);
        vault.write('projects/shed/task-two.md', vault.read('projects/shed/task-two.md').replace('resolved: false', 'resolved: true'));
        vault.write('memory/x/one.md', vault.read('memory/x/one.md').replace('- first of one', '- first of one\n- of the branch'));
        vault.write('hub.md', 'Hub of the branch\n');
        vault.write('new.md', '---\ntags: [t]\n---\nmarker [[hub]]\n');
        vault.commit('another tree');
        vault.write('new.md', `${vault.read('new.md')}more\n`);
        vault.commit('a second');
        vault.git('checkout', '--quiet', 'main');
        await withServer(
          vault,
          async (session) => {
            await answers(session);
            const before = authors(vault);
            const act = async (...args: readonly string[]): Promise<void> => {
              vault.git(...args);
              await followed(session, vault, args.join(' '));
            };
            await act('checkout', '--quiet', 'other');
            const there = await answers(session);
            expect(there).toMatchObject({ told: [], neighbors: ['n-one.md', 'new.md'], tagged: ['n-one.md', 'new.md'] });
            expect(there.tasks).toContain('Task two true');
            expect(there.notes).toHaveLength(9);
            await act('checkout', '--quiet', 'main');
            await act('reset', '--quiet', '--hard', 'other');
            await act('reset', '--quiet', '--hard', 'main@{1}');
            vault.write('hub.md', 'Hub, not committed\n');
            vault.git('stash', '--quiet');
            await followed(session, vault, 'stash');
            vault.git('stash', 'pop', '--quiet');
            await waitFor(async () => (await session.ask('get_node', { id: 'hub.md' })).content.includes('not committed'));
            vault.git('checkout', '--quiet', '--', 'hub.md');
            vault.write('only-main.md', 'marker [[hub]] of main\n');
            vault.commit('main goes on');
            await act('rebase', '--quiet', 'main', 'other');
            await act('checkout', '--quiet', 'main');
            // Whoever is named for what happened, it is none who works here.
            await waitFor(
              async () => {
                await session.ask('graph_history', { node_id: 'projects/shed/task-two.md' });
                return authors(vault).length > before.length;
              },
              { what: 'the edits from outside in the history' },
            );
            const since = authors(vault).slice(before.length);
            expect(since.filter((event) => !event.startsWith('external external '))).toEqual([]);
          },
          { flags: ['--toolsets', 'all'], clientName: 'ada' },
        );
      }),
    60_000,
  );

  it(
    'X-21 what agents write while a rebase runs lands whole: on both sides of it, and in no commit of it',
    () =>
      withVault(files, async (plain) => {
        await setUp(plain);
        const vault = openGitVault(plain, ['hub.md', 'n-one.md', 'n-two.md']);
        vault.git('checkout', '--quiet', '-b', 'other');
        for (let round = 0; round < 8; round += 1) {
          vault.write('n-one.md', `${vault.read('n-one.md')}round ${round}\n`);
          vault.commit(`round ${round}`);
        }
        vault.git('checkout', '--quiet', 'main');
        vault.write('hub.md', 'Hub of main\n');
        vault.commit('main goes on');
        await withServer(
          vault,
          async (session) => {
            await answers(session);
            const rebase = spawn('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'rebase', '--quiet', 'main', 'other'], {
              cwd: vault.root,
              env: testEnvironment(),
              stdio: 'ignore',
            });
            const ended = once(rebase, 'exit');
            let written = 0;
            let isOver = false;
            const refused: string[] = [];
            void ended.then(() => (isOver = true));
            // Git holds its lock again and again: a write waits for its turn or is refused as one to be tried again.
            do {
              const name = SIX[written % SIX.length] ?? '';
              const { isError, value } = await session.call('add_observations', {
                observations: [{ entityName: name, contents: [`written ${written}`] }],
              });
              if (isError) refused.push(JSON.stringify(value));
              else written += 1;
            } while (!isOver || written < 6);
            expect((await ended)[0]).toBe(0);
            expect(refused.filter((text) => !text.includes('retr'))).toEqual([]);
            const { entities } = await session.ask('read_graph');
            const told = entities.flatMap(({ observations }: { observations: string[] }) => observations);
            expect(told.filter((text: string) => text.startsWith('written'))).toHaveLength(written);
            expect(vault.read('hub.md')).toBe('Hub of main\n');
            expect(vault.read('n-one.md')).toContain('round 7');
            expect(vault.git('status', '--porcelain', '--untracked-files=no')).toBe('');
            expect(vault.git('log', '--format=%s', 'main..other').trim().split('\n')).toHaveLength(8);
            await waitFor(async () => (await session.ask('get_node', { id: 'n-one.md' })).content.includes('round 7'));
            expect(authors(vault).filter((event) => /n-one|hub/.test(event) && !event.startsWith('external'))).toEqual([]);
          },
          { flags: ['--toolsets', 'all'], clientName: 'ada' },
        );
      }),
    60_000,
  );
});
