import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations, loadPageOperations } from '../../../src/ops/all.ts';
import { withServe } from '../../support/program/http-server.ts';
import { sample } from '../../support/effort.ts';
import { makeVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ask, unpacked } from './ask.ts';
import type { Asked } from './ask.ts';
import { readingCalls, writingCalls } from './calls.ts';
import { addToken, FILES, isInside, OWNERS, prepare } from './scoped-vault.ts';
import type { Known } from './scoped-vault.ts';

const vault = makeVault(FILES);
let known: Known;
let token: string;

beforeAll(async () => {
  known = await prepare(vault);
  token = await addToken(vault, 'some', 'write');
});
afterAll(() => vault.dispose());

const OFFERED = [...allOperations.filter(({ toolset }) => toolset !== null), ...(await loadPageOperations())];

/** Runs with a server that offers everything. */
function serveAll<T>(run: (url: string) => Promise<T>): Promise<T> {
  return withServe(vault, ['--toolsets', 'all', '--token', OWNERS], ({ url }) => run(url));
}

/** The vault without what lies outside, as long as this runs. */
async function alone<T>(run: () => Promise<T>): Promise<T> {
  const outside = new Map(
    [...vault.files(), ...Object.keys(FILES)].flatMap((path) =>
      isInside(path) || !vault.exists(path) ? [] : [[path, vault.readBytes(path)]],
    ),
  );
  for (const path of outside.keys()) vault.remove(path);
  try {
    return await run();
  } finally {
    for (const [path, bytes] of outside) vault.write(path, bytes);
  }
}

/** No note inside says it, nor where others are; no id has these letters. */
const LEAKS = /zqul|private\//;

/** An answer without what is new each time it is asked for. */
function plain(text: string): string {
  return text.replace(/"(?:request_id|epoch|map)":"[^"]*"|"(?:now|valid_to|known_to)":"[^"]*"|"search_latency_ms":\{[^}]*\}/g, '""');
}

/** Where two texts begin to differ, with what stands around. */
function difference(a: string, b: string): string | null {
  if (a === b) return null;
  let at = 0;
  while (a[at] === b[at]) at += 1;
  return `…${a.slice(Math.max(0, at - 80), at + 120)}… and not …${b.slice(Math.max(0, at - 80), at + 120)}…`;
}

describe('V-04 with a token for some folders', () => {
  it('there is a call of every operation', () => {
    const calls = new Set([...Object.keys(readingCalls(known)), ...writingCalls(known).map(([name]) => name)]);
    expect(OFFERED.map(({ name }) => name).filter((name) => !calls.has(name))).toEqual([]);
  });

  it('every operation that reads answers as if nothing else were there', async () => {
    const calls = Object.entries(readingCalls(known)).flatMap(([operation, all]) => all.map((args) => ({ operation, args })));
    const askAll = (): Promise<readonly Asked[]> =>
      serveAll(async (url) => {
        await waitFor(async () => (await ask(url, token, 'graph_map')).value.result.layout.state === 'ready');
        const answers: Asked[] = [];
        for (const { operation, args } of calls) answers.push(await ask(url, token, operation, args));
        return answers;
      });
    const [some, all] = [await askAll(), await alone(askAll)];
    const wrong = calls.flatMap(({ operation, args }, at): readonly unknown[] => {
      const [one, other] = [some[at]!, all[at]!];
      const asked = `${operation} ${JSON.stringify(args)}`;
      if (LEAKS.test(unpacked(one.text))) return [{ asked, leaked: one.text }];
      const isChance = operation === 'random_node' || operation === 'graph_map';
      const different = isChance ? null : difference(plain(one.text), plain(other.text));
      return one.status === other.status && different === null ? [] : [{ asked, status: [one.status, other.status], different }];
    });
    expect(wrong).toEqual([]);
    // They are asked as they should be: what is refused is not there, or is for the whole vault.
    const refused = calls.flatMap(({ operation, args }, at) => {
      const { status, value } = some[at]!;
      return status === 200
        ? []
        : [`${status} ${operation} ${JSON.stringify(args)} ${value.error?.code ?? value.result?.error?.error_code}`];
    });
    expect(refused).toEqual([
      '404 get_node {"id":"came","as_of":"1"} NODE_NOT_FOUND',
      '404 get_node {"id":"came","as_of":"2000-01-01"} NODE_NOT_FOUND',
      '403 vault_health {} FORBIDDEN',
    ]);
  });

  it('what is outside is no different from what is not there, by whatever name it is asked for', async () => {
    const { hidden, batches } = known;
    const wrong = await serveAll(async (url) => {
      const found: unknown[] = [];
      // What is wrong with a note is told once.
      await ask(url, token, 'get_node', { id: 'tea' });
      const names = [
        ['private/plain.md', 'private/other.md'],
        ['Tea party', 'Tea pirty'],
        ['private/zqulpath.md', 'private/zqolpath.md'],
        ['zqultitle', 'zqoltitle'],
        ['zqulalias', 'zqolalias'],
        ['zqul-id', 'zqol-id'],
        ['zqultag', 'zqoltag'],
        ['zqultype', 'zqoltype'],
        ['zqulproject', 'zqolproject'],
        ['zqulentity', 'zqolentity'],
        ['zqulgroup', 'zqolgroup'],
        ['private/zqulgone.md', 'private/zqolgone.md'],
        ['private/zqulimage.png', 'private/zqolimage.png'],
        [hidden.task, another(hidden.task)],
        [hidden.fact, another(hidden.fact)],
        [hidden.episode, another(hidden.episode)],
        [batches.outside, another(batches.outside)],
      ] as const;
      for (const [at, [operation, argsOf]] of GUESSES.entries())
        for (const [name, like] of sample(names, 3, at)) {
          const args = argsOf(name);
          const [one, other] = [await ask(url, token, operation, args), await ask(url, token, operation, argsOf(like))];
          const different = difference(plain(one.text).replaceAll(name, like), plain(other.text));
          if (one.status !== other.status || different !== null)
            found.push({ asked: `${operation} ${JSON.stringify(args)}`, status: [one.status, other.status], different });
        }
      return found;
    });
    expect(wrong).toEqual([]);
  });
});

/** A name of the same form that nothing has. */
function another(name: string): string {
  return `${name.slice(0, -1)}${name.endsWith('8') ? '7' : '8'}`;
}

/** Operations that take a name. */
const GUESSES: readonly (readonly [string, (name: string) => unknown])[] = [
  ['get_node', (id) => ({ id })],
  ['get_nodes', (id) => ({ ids: [id, 'tea'] })],
  ['get_node', (id) => ({ id, as_of: '1' })],
  ['get_node', (id) => ({ id, as_of: '2100-01-01' })],
  ['get_neighbors', (id) => ({ id })],
  ['find_path', (id) => ({ source: 'tea', target: id })],
  ['list_nodes', (tag) => ({ tag })],
  ['list_nodes', (path) => ({ path })],
  ['list_nodes', (type) => ({ type })],
  ['search_by_tags', (tag) => ({ tags: [tag] })],
  ['search', (query) => ({ query: `"${query}"` })],
  ['search', (query) => ({ query, mode: 'exact' })],
  ['graph_context', (id) => ({ node_id: id })],
  ['graph_history', (id) => ({ node_id: id })],
  ['graph_onboard', (project) => ({ project })],
  ['graph_query', (project) => ({ project })],
  ['open_nodes', (name) => ({ names: [name] })],
  ['get_node_content', (id) => ({ node_id: id })],
  ['get_connected_nodes', (id) => ({ node_id: id })],
  ['query_nodes', (type) => ({ type })],
  ['kg_get_episodes', (group) => ({ input: { group_id: group, last_n: 5 } })],
  ['kg_get_entity_edge', (uuid) => ({ input: { uuid } })],
  ['kg_get_receipt', (group) => ({ input: { group_id: group } })],
  ['read_page', (path) => ({ path })],
  ['preview_page', (path) => ({ path })],
  ['page_backlinks', (path) => ({ path })],
  ['page_history', (path) => ({ path })],
  ['unlinked_mentions', (path) => ({ path })],
  ['graph_map', (around) => ({ around })],
  ['task_detail', (task) => ({ task })],
  ['task_board', (project) => ({ project })],
  ['memory_entity', (path) => ({ path })],
  ['activity_diff', (id) => ({ id })],
  ['activity', (path) => ({ path })],
  ['undo_preview', (batch) => ({ batch })],
  ['delete_node', (id) => ({ id })],
  ['update_node', (id) => ({ id, append: 'x' })],
  ['create_node', (id) => ({ title: 'A part', from: `${id}#Part` })],
  ['merge_nodes', (id) => ({ sources: [id], target: 'tea' })],
  ['update_nodes', (id) => ({ ids: [id], properties: { x: 1 } })],
  ['rename', (from) => ({ changes: [{ from, to: 'Else' }] })],
  ['graph_update', (id) => ({ updates: [{ node_id: id, resolved: true }] })],
  ['graph_restructure', (id) => ({ operations: [{ op: 'drop', node_id: id, reason: 'x' }] })],
  ['delete_entities', (name) => ({ entityNames: [name] })],
  ['add_observations', (name) => ({ observations: [{ entityName: name, contents: ['x'] }] })],
  ['kg_delete_entity_edge', (uuid) => ({ input: { uuid } })],
  ['kg_delete_episode', (uuid) => ({ input: { uuid } })],
];
