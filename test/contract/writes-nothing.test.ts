import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandNames, findCommand } from '../../src/faces/cli/command-list.ts';
import { openHost } from '../../src/open-host.ts';
import { allOperations } from '../../src/ops/all.ts';
import { loadConfig } from '../../src/system/settings-files/load-config.ts';
import { sample } from '../support/effort.ts';
import { lookAt } from '../support/outside.ts';
import { cli, testEnvironment } from '../support/program/cli.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { makeVault, openTestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';
import type { TestVault } from '../support/vault.ts';

/** What the prepared vault holds, by the names that calls need. */
interface Known {
  readonly task: string;
  readonly other: string;
  readonly shelf: string;
  readonly book: string;
  readonly connection: string;
  /** A fact of the knowledge graph, and an episode that is parked. */
  readonly fact: string;
  readonly parked: string;
}

const AT = '2026-01-01T00:00:00Z';
const vault = makeVault({
  'tea.md': '---\ntags: [drinks]\n---\nGrown in [[Assam]].\n',
  'assam.md': 'A valley.\n',
  'gone.md': 'Gone\n',
  'kit/index.md': '---\nokf_version: "0.2"\n---\n# Kit\n',
  'kit/saw.md': '---\ntype: Tool\n---\nSharp.\n',
});
let known: Known;

/** A vault in which every toolset has worked, that somebody edited since. */
beforeAll(async () => {
  known = await withServer(
    vault,
    async ({ ask }) => {
      await ask('graph_open', { project: 'shed' });
      const { created } = await ask('graph_plan', {
        nodes: [
          { ref: 'a', summary: 'Sand' },
          { ref: 'b', summary: 'Paint' },
        ],
      });
      await ask('create_entities', {
        entities: [
          { name: 'Ada', entityType: 'person', observations: ['likes tea'] },
          { name: 'Bob', entityType: 'person' },
        ],
      });
      await ask('create_relations', { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] });
      await ask('create_ontology', {
        node_types: ['Shelf', 'Book', 'Lamp'],
        connection_types: [{ name: 'holds', from_types: ['Shelf'], to_types: ['Book'] }],
      });
      const typed = (type: string) => ({ type, content: 'x\n', encoding: 'utf-8', format: 'text' });
      const shelf = (await ask('ensure_singleton_node', typed('Shelf'))).node_id;
      const book = (await ask('ensure_singleton_node', typed('Book'))).node_id;
      const connection = (await ask('create_connection', { from_node_id: shelf, to_node_id: book, type: 'holds' })).connection_id;
      await ask('update_node', { id: 'assam', properties: { height: 1 } });
      await ask('delete_node', { id: 'gone' });
      const episodes = [
        { source: 'text', body: 'Ada -[LIKES]-> Tea: Ada likes tea.', reference_time: AT },
        // A fact that is longer than its limit.
        { source: 'text', body: `A -[R]-> B: ${'x'.repeat(2001)}`, reference_time: AT },
      ];
      await ask('kg_add_episodes', { input: { group_id: 'team', items: episodes } });
      const parked = await waitFor(async () => {
        const { output } = await ask('kg_get_receipt', { input: { group_id: 'team' } });
        return output.items.length === 1 && output.items[0].state === 'parked' ? (output.items[0].uuid as string) : null;
      });
      const { output } = await ask('kg_search_facts', { input: { group_ids: ['team'], query: 'tea' } });
      const fact = output.facts[0].uuid;
      return { fact, parked, task: created[0].id, other: created[1].id, shelf, book, connection };
    },
    { flags: ['--toolsets', 'all'] },
  );
  vault.write('broken.md', '---\ntags: "#a, #b"\n---\n## Part\n\nSee [[nowhere]].\n');
});
afterAll(() => vault.dispose());

/** Runs with a copy, and says what was different afterwards. */
async function changesOf(
  run: (copy: TestVault) => Promise<unknown>,
  prepare: (copy: TestVault) => Promise<unknown> = () => Promise.resolve(),
): Promise<readonly string[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'roux-copy-')));
  try {
    cpSync(vault.root, root, { recursive: true, preserveTimestamps: true });
    await prepare(openTestVault(root));
    const before = lookAt(root);
    await run(openTestVault(root));
    const after = lookAt(root);
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Arguments with which each tool does what it is for. */
function argumentsOf(name: string): Record<string, unknown> {
  const { task, other, shelf, book, connection, fact, parked } = known;
  const message = { role_type: 'user', content: 'Bob -[LIKES]-> Tea: Bob likes tea.', timestamp: AT };
  const item = { source: 'text', body: 'Bob -[LIKES]-> Milk: Bob likes milk.', reference_time: AT };
  const calls: Readonly<Record<string, Record<string, unknown>>> = {
    create_node: { title: 'New' },
    confirm: { node: 'tea', facts: [fact], stale_after: '2027-01-31' },
    delete_node: { id: 'tea' },
    ensure_singleton_node: { type: 'Lamp', content: 'x', encoding: 'utf-8', format: 'text' },
    find_path: { source: 'tea', target: 'assam' },
    get_neighbors: { id: 'tea' },
    get_node: { id: 'tea' },
    get_nodes: { ids: ['tea'] },
    search: { query: 'valley' },
    search_by_tags: { tags: ['drinks'] },
    rename: {
      changes: [
        { from: 'broken#Part', to: 'Other' },
        { from: 'tea', to: 'drinks/' },
      ],
    },
    update_node: { id: 'assam', title: 'Assam Valley' },
    merge_nodes: { sources: ['tea'], target: 'assam' },
    update_nodes: { where: 'true', add: { tags: ['seen'] } },
    graph_connect: { edges: [{ from: other, to: task, type: 'depends_on' }] },
    graph_context: { node_id: task },
    graph_handoff: { node_id: task, left: 'the door' },
    graph_history: { project: 'shed', agent: 'roux-test' },
    graph_next: { claim: true },
    graph_open: { project: 'boat' },
    graph_plan: { nodes: [{ ref: 'c', summary: 'Sail' }] },
    graph_restructure: { operations: [{ op: 'drop', node_id: task, reason: 'rain' }] },
    graph_update: { updates: [{ node_id: task, resolved: true }] },
    add_observations: { observations: [{ entityName: 'Ada', contents: ['is new'] }] },
    create_entities: { entities: [{ name: 'Cleo', entityType: 'person' }] },
    create_relations: { relations: [{ from: 'Bob', to: 'Ada', relationType: 'knows' }] },
    delete_entities: { entityNames: ['Ada'] },
    delete_observations: { deletions: [{ entityName: 'Ada', observations: ['likes tea'] }] },
    delete_relations: { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] },
    open_nodes: { names: ['Ada'] },
    search_nodes: { query: 'Ada' },
    add_connection_type: { type_name: 'leans', from_types: ['Shelf'], to_types: ['Book'] },
    add_node_type: { type_name: 'Chair' },
    rename_type: { type_name: 'Lamp', new_name: 'Lantern' },
    remove_type: { type_name: 'Lamp' },
    create_connection: { from_node_id: shelf, to_node_id: book, type: 'holds', properties: { a: 2 } },
    create_ontology: { node_types: ['X'] },
    delete_connection: { connection_id: connection },
    get_connected_nodes: { node_id: shelf },
    get_connection: { connection_id: connection },
    get_node_content: { node_id: shelf },
    query_nodes: { node_type: 'Shelf' },
    search_content: { query: 'x' },
    update_connection: { connection_id: connection, properties: { a: 1 } },
    validate_connection: { connection_type: 'holds', from_node_type: 'Shelf', to_node_type: 'Book' },
    kg_healthcheck: { input: {} },
    kg_add_messages: { input: { group_id: 'team', messages: [message] } },
    kg_add_episodes: { input: { group_id: 'team', items: [item] } },
    kg_add_entity_node: { input: { uuid: 'e-new', group_id: 'team', name: 'Cleo' } },
    kg_search_facts: { input: { group_ids: ['team'], query: 'tea' } },
    kg_get_entity_edge: { input: { uuid: fact } },
    kg_get_episodes: { input: { group_id: 'team', last_n: 1 } },
    kg_get_memory: { input: { group_id: 'team', messages: [message] } },
    kg_delete_entity_edge: { input: { uuid: fact } },
    kg_delete_episode: { input: { uuid: parked } },
    kg_delete_group: { input: { group_id: 'team' } },
    kg_get_receipt: { input: { group_id: 'team' } },
    kg_retry_parked: { input: { group_id: 'team' } },
    kg_clear_all: { input: {} },
    ingest_all: { items: [item] },
    facts: { query: 'tea' },
    timeline: { entity: 'Ada', group_id: 'team' },
    vault_health: { rebuild: true },
    complete_word: { kind: 'tag', beginning: 'd' },
    loose_notes: { kind: 'orphans' },
    note_at: { path: 'tea.md' },
    note_links: { id: 'tea', direction: 'out' },
    note_text: { id: 'tea' },
    backlink_lines: { id: 'assam' },
    tagged_notes: { tag: 'drinks' },
    export_memory: { format: 'json' },
    import_memory: { text: '{"type":"entity","name":"Cleo","entityType":"person","observations":[]}\n' },
    history: { id: 'tea' },
    restore: { ref: 'gone.md' },
    undo: { agent: 'nobody' },
    accept_review: { up_to: 1 },
    doctor: { fix: true },
    okf_files: { folder: 'kit' },
    okf_import: { files: [{ path: 'new.md', base64: 'TmV3Lgo=' }], folder: 'kit', write: true },
    okf_index: { log: true, write: true },
  };
  return calls[name] ?? {};
}

/** Runs an operation as a server or a command does it, error or not; gives the code of the error. */
async function perform(root: string, name: string, how: { isReadOnly?: boolean; isDryRun?: boolean }): Promise<string | null> {
  const { isReadOnly = false, isDryRun = false } = how;
  const config = { ...loadConfig({ vaultRoot: root, env: testEnvironment() }), readOnly: isReadOnly, log: 'error' as const };
  const host = openHost({ root, config, isFollowing: !isDryRun, isRehearsing: isDryRun });
  const operation = allOperations.find((each) => each.name === name)!;
  try {
    await host.ready();
    await host.openSession({ id: 'test', agent: () => 'test', isPerson: true }).call({ operation, args: argumentsOf(name), isDryRun });
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await host.close();
  }
}

/** They change what roux keeps of its own, and no note. */
const RECORDS_ONLY = ['fsck', 'accept_review', 'import_vectors'];

const isNote = (path: string): boolean => !path.startsWith('.roux');

describe('X-26: nothing is written where nothing may be', () => {
  it.each(allOperations.map(({ name }) => name))('by %s, read-only or as a dry run', async (name) => {
    const codes: (string | null)[] = [];
    const changed = await Promise.all(
      [{ isReadOnly: true }, { isDryRun: true }].map((how) => changesOf(async ({ root }) => codes.push(await perform(root, name, how)))),
    );
    expect(changed).toEqual([[], []]);
    // It would have: what it was refused for is no mistake in the call. Those that read what they wrote do not find it in a dry run.
    const mayFail = ['create_ontology', 'create_connection', 'graph_open', 'import_memory', 'undo'].includes(name);
    expect(codes.filter((code) => !mayFail && code !== null && code !== 'READ_ONLY')).toEqual([]);
  });

  it.each(
    sample(
      allOperations
        .filter(({ name, effect }) => effect !== 'read' && !['create_ontology', 'undo', ...RECORDS_ONLY].includes(name))
        .map(({ name }) => name),
      3,
    ),
  )('%s with these arguments would have written', async (name) => {
    expect((await changesOf(({ root }) => perform(root, name, {}))).filter(isNote)).not.toEqual([]);
  });
});

/** Where a site is published: beside the vault. */
const SITE = mkdtempSync(join(tmpdir(), 'roux-test-site-'));
afterAll(() => rmSync(SITE, { recursive: true }));

/** A command line of each command that ends by itself. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  init: ['--client', 'cursor'],
  search: ['valley'],
  get: ['tea'],
  links: ['tea'],
  backlinks: ['assam'],
  path: ['tea', 'assam'],
  create: ['New'],
  append: ['tea', 'more'],
  new: ['Cup'],
  today: ['more'],
  update: ['tea', '--set', '{"a": 1}'],
  rename: ['assam', 'Assam Valley'],
  move: ['tea', 'drinks'],
  confirm: ['tea'],
  delete: ['tea'],
  plan: ['--project', 'boat'],
  done: ['sand'],
  next: ['--claim'],
  tasks: ['log'],
  restore: ['gone.md'],
  history: ['tea'],
  import: ['-'],
  key: ['file', 'a.ts'],
  ingest: ['-', '--reference-time', '2026-01-01'],
  facts: ['tea'],
  timeline: ['Ada'],
  doctor: ['--fix'],
  check: ['--install-hook'],
  undo: ['--by', 'ada'],
  git: ['install'],
  okf: ['index', '--log', '--write'],
  publish: ['--all', '--out', SITE],
};
const STDIN: Readonly<Record<string, string>> = {
  plan: '# Boat\n- Sail\n',
  import: '{"type":"entity","name":"Cleo","entityType":"person","observations":[]}\n',
  ingest: 'Bob -[LIKES]-> Milk: Bob likes milk.\n',
};
const COMMANDS = commandNames.filter((name) => !['mcp', 'serve', 'demo', 'merge-driver'].includes(name));
/** Those that read, as they are called here or without what makes them write. */
const READING: readonly (readonly string[])[] = [
  ...['search', 'get', 'links', 'backlinks', 'path', 'history', 'tasks', 'key', 'facts', 'timeline'].map((name) => [
    name,
    ...(LINES[name] ?? []),
  ]),
  ...['list', 'unresolved', 'orphans', 'deadends', 'tags', 'hubs', 'prime', 'tree', 'export', 'doctor', 'next', 'restore'].map((name) => [
    name,
  ]),
];

describe('X-26: a command', () => {
  const run = (root: string, [name = '', ...args]: readonly string[], env: Record<string, string> = {}) =>
    cli([name, ...args, '--vault', root], { env, stdin: STDIN[name] ?? '' });

  /** A vault that roux knows from its cache, and that somebody edited since. */
  const editedOutside = async (copy: TestVault): Promise<void> => {
    await run(copy.root, ['tags']);
    expect(copy.exists('.roux/cache')).toBe(true);
    copy.write('tea.md', '---\ntags: [drinks]\n---\nGrown in [[Assam]], and edited.\n');
  };

  /** How many edits from outside the history of the edited note has. */
  const outsideOf = async (root: string): Promise<number> => {
    const { events } = JSON.parse((await run(root, ['history', 'tea', '--json'])).stdout) as { events: readonly { agent: string }[] };
    return events.filter(({ agent }) => agent === 'external').length;
  };

  it.each(COMMANDS)('%s writes nothing where the vault is read-only, nor as a dry run', async (name) => {
    const line = [name, ...(LINES[name] ?? [])];
    // What is undone was done in this copy: records from elsewhere do not count.
    const prepare = async (copy: TestVault): Promise<void> => {
      if (name === 'undo') await run(copy.root, ['update', 'tea', '--set', '{"a": 0}', '--agent', 'ada']);
      // A first start would keep what makes the next one fast.
      if (copy.exists('.roux/cache')) copy.remove('.roux/cache');
    };
    expect(await changesOf(({ root }) => run(root, line, { ROUX_READ_ONLY: 'true' }), prepare)).toEqual([]);
    if ((await findCommand(name))?.options?.['dry-run'] === undefined) return;
    const dry = name === 'doctor' ? [name, '--dry-run'] : [...line, '--dry-run'];
    const statuses: (number | null)[] = [];
    expect(await changesOf(async ({ root }) => statuses.push((await run(root, dry)).status), prepare)).toEqual([]);
    expect(statuses[0]).toBeLessThan(2);
    // A site is not written into the vault, and tasks are pulled and pushed in test/contract/github/.
    if (name === 'publish' || name === 'tasks') return;
    expect((await changesOf(({ root }) => run(root, line), prepare)).filter(isNote), `${name} without it`).not.toEqual([]);
  });

  it('export writes no file into a vault that is read-only, and init says why it does nothing', async () => {
    const refused: string[] = [];
    const changed = await changesOf(async ({ root }) => {
      for (const line of [['export', '-o', join(root, 'memory.jsonl')], ['init'], ['create', 'New']])
        refused.push((await run(root, line, { ROUX_READ_ONLY: 'true' })).stderr);
    });
    expect(changed).toEqual([]);
    expect(refused).toEqual([
      expect.stringContaining('open for reading only'),
      expect.stringContaining('"readOnly" is set'),
      expect.stringContaining('read-only'),
    ]);
  });

  it.each(READING)('%s keeps its cache at most, and leaves an edit from outside to the next write to record', async (...line) => {
    let told = '';
    const changed = await changesOf(async ({ root }) => {
      told = (await run(root, ['history', 'tea'])).stdout;
      await run(root, line);
      await run(root, line);
    }, editedOutside);
    expect(changed.filter((path) => !/^\.roux\/cache(\/|$)/.test(path))).toEqual([]);
    expect(told).toContain('edited by an editor or another program');
  });

  it('an edit from outside that only readers have seen is in the history after the next write, once', async () => {
    await changesOf(async ({ root }) => {
      await run(root, ['search', 'valley']);
      await run(root, ['tags']);
      expect(await outsideOf(root)).toBe(1);
      await run(root, ['update', 'assam', '--set', '{"a": 1}']);
      expect(await outsideOf(root)).toBe(1);
      await run(root, ['update', 'assam', '--set', '{"a": 2}']);
      expect(await outsideOf(root)).toBe(1);
    }, editedOutside);
  });
});
