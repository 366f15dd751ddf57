import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { makeVault as fillVault } from '../../../../scripts/make-vault.ts';
import { isLong } from '../../../support/effort.ts';
import { program, testEnvironment } from '../../../support/program/cli.ts';
import { processesOf, withMcp } from '../../../support/program/mcp-client.ts';
import { useOnce } from '../../../support/program/use-once.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** Enough that the list is asked for long before all are read. */
const NOTES = isLong ? 30_000 : 10_000;

const filled = useOnce<TestVault>((use) =>
  withVault({}, (vault) => {
    fillVault(vault.root, NOTES, 7);
    vault.write('zz/Task.md', '---\nid: late-1\n---\nSee [[Last of all]].\n');
    vault.write('zz/Last of all.md', '---\ntitle: The very last\n---\nText of a kittiwake.\n');
    return use(vault);
  }),
);

/** The notes, of which roux knows nothing yet: each test ends its processes and writes no note. */
async function openLarge(): Promise<TestVault> {
  const vault = await filled();
  if (vault.exists('.roux')) vault.remove('.roux');
  return vault;
}

it('H-16 a vault of many thousand notes answers while it is read: a note by its path, a search that finds all, a list that says how far reading is, and nothing is said not to exist', async () => {
  const vault = await openLarge();
  let processes: readonly number[] = [];
  await withMcp(vault, async ({ ask, call, refuse, pid }) => {
    const answered: string[] = [];
    const note = async (name: string, asked: Promise<unknown>): Promise<unknown> => {
      const answer = await asked;
      answered.push(name);
      return answer;
    };
    const [read, list, titled, ids, next, found, none] = await Promise.all([
      note('path', ask('get_node', { id: 'zz/Task.md' })),
      note('list', call('list_nodes', { limit: 5 })),
      note('title', ask('get_node', { id: 'The very last' })),
      note('id', ask('get_node', { id: 'late-1' })),
      note('tasks', refuse('graph_next', {})),
      note('search', call('search', { query: 'kittiwake' })),
      note('nothing', call('search', { query: 'xyzzyplugh' })),
    ]);
    expect(read).toMatchObject({ id: 'late-1', content: 'See [[Last of all]].\n', links: [{ id: 'zz/Last of all.md' }] });
    expect(JSON.stringify(read)).not.toContain('Broken link');
    const [, done = '', all = ''] = /still being read, (\d+) of (\d+) notes/.exec(JSON.stringify(list)) ?? [];
    expect(Number(all)).toBe(NOTES + 2);
    expect(Number(done)).toBeLessThan(NOTES);
    expect(JSON.stringify(next)).toMatch(/UNAVAILABLE.*still being read/);
    // What could not be decided was waited for.
    expect(titled).toMatchObject({ id: 'zz/Last of all.md' });
    expect(ids).toMatchObject({ path: 'zz/Task.md' });
    expect(answered.slice(0, 5).sort()).toEqual(['list', 'nothing', 'path', 'search', 'tasks']);
    expect(JSON.stringify(found)).toMatch(/kittiwake.*all were searched/);
    expect(JSON.stringify(found)).toContain('zz/Last of all.md');
    // Nothing is said to be found by no note before all were looked at.
    expect(JSON.stringify(none)).toMatch(/No note has.*xyzzyplugh/);
    expect(JSON.stringify(await call('list_nodes', { limit: 5 }))).toContain(`"total\\":${NOTES + 2}`);
    processes = processesOf(pid);
  });
  await waitFor(() => processes.every((each) => !existsSync(`/proc/${each}`)), { what: 'the end of all processes' });
});

/** What the page asks for, and how it is answered while notes are read. */
const LISTS = [
  ['home_page', {}, 'part'],
  ['tree_level', {}, 'part'],
  ['tree_filter', { query: 'a' }, 'part'],
  ['tag_level', {}, 'part'],
  ['list_folder', {}, 'part'],
  ['calendar_month', {}, 'part'],
  ['list_checkboxes', {}, 'part'],
  ['find_titles', { query: 'a' }, 'part'],
  ['suggest', { query: 'tag:idea' }, 'part'],
  ['tag_page', { tag: 'idea' }, 'refuse'],
  ['attention_list', { kind: 'unresolved' }, 'refuse'],
  ['graph_map', {}, 'refuse'],
  ['task_board', {}, 'refuse'],
  ['memory_map', {}, 'refuse'],
  ['fact_timeline', {}, 'refuse'],
  ['activity', {}, 'refuse'],
] as const;

it('H-16 no list of the page waits until a large vault is read: each says how far that is', async () => {
  const vault = await openLarge();
  const flags = ['serve', vault.root, '--port', '0', '--json', '--toolsets', 'all'];
  const server = spawn(process.execPath, [program, ...flags], { env: testEnvironment({ ROUX_HTTP_AUTH: 'none' }), stdio: 'pipe' });
  try {
    const [out] = (await once(server.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(out.toString()) as { url: string };
    const ask = async (operation: string, args: object): Promise<string> => {
      const headers = { 'content-type': 'application/json', 'x-roux-page': '1' };
      return (await fetch(`${url}/api/${operation}`, { method: 'POST', headers, body: JSON.stringify(args) })).text();
    };
    const answers = await Promise.all(LISTS.map(([operation, args]) => ask(operation, args)));
    for (const [at, [operation, , how]] of LISTS.entries()) {
      expect(answers[at], operation).toMatch(/The vault is still being read, \d+ of \d+ notes so far/);
      expect(JSON.parse(answers[at] ?? ''), operation).toMatchObject(
        how === 'part' ? { result: {} } : { error: { code: 'UNAVAILABLE', retryable: true } },
      );
    }
    const found = LISTS.findIndex(([operation]) => operation === 'suggest');
    expect(JSON.parse(answers[found] ?? '')).toMatchObject({ result: { is_lower_bound: true } });
    // Of a part of the notes no link is known to lead nowhere.
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ result: { is_partly: true, health: { unresolved: 0 } } });
  } finally {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
});
