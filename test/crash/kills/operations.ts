import type { Random } from '../../support/random.ts';
import type { TestVault } from '../../support/vault.ts';
import type { Call } from './beginnings.ts';

/** What is done until the kill: calls of one server, one after the other, or one command. */
export type Work =
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | { readonly kind: 'command'; readonly name: string; readonly args: readonly string[] };

/** What is there to work with. */
function lookAround(vault: TestVault) {
  const files = vault.files().filter((path) => path.endsWith('.md'));
  const texts = files.map((path) => ({ path, text: vault.read(path) }));
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1, -3);
  const isOf =
    (type: string) =>
    ({ text }: { text: string }) =>
      text.includes(`\ntype: ${type}\n`);
  return {
    notes: files.filter((path) => path.startsWith('notes/')),
    parts: texts.flatMap(({ path, text }) => (path.startsWith('notes/') && text.split('\n# Part\n').length === 2 ? [path] : [])),
    things: files.filter((path) => path.startsWith('things/')),
    tasks: texts.filter(isOf('task')).map(({ text }) => /^id: (\S+)$/m.exec(text)?.[1] ?? ''),
    entities: texts.filter(isOf('entity')).map(({ path, text }) => ({
      name: nameOf(path),
      observations: [...(/## Observations\n([^#]*)/.exec(text)?.[1] ?? '').matchAll(/^- (.+)$/gm)].map(([, line]) => line ?? ''),
      relations: [...text.matchAll(/^- (\w+) \[\[(.+)\]\]$/gm)].map(([, type, to]) => ({ relationType: type ?? '', to: to ?? '' })),
    })),
    connections: texts.flatMap(({ text }) => [...text.matchAll(/\^(c-\w{26})/g)].map(([, id]) => id ?? '')),
    types: [...(/^node_types:\n((?: {2}- .*\n)*)/m.exec(vault.read('ontology.md'))?.[1] ?? '').matchAll(/- (.+)$/gm)].map(
      ([, type]) => type ?? '',
    ),
    batches: vault
      .list('.roux/history/batches')
      .map((name) => name.replace('.json', ''))
      .slice(-6),
    trash: vault.exists('.roux/trash') ? vault.list('.roux/trash').slice(-6) : [],
  };
}

type Around = ReturnType<typeof lookAround>;
type Choice = (around: Around, random: Random, mark: string) => Readonly<Record<string, unknown>> | null;

const some = <T>(random: Random, items: readonly T[]): T | null => (items.length === 0 ? null : random.pick(items));
const withOne =
  <T>(
    items: (around: Around) => readonly T[],
    args: (item: T, random: Random, mark: string, around: Around) => Readonly<Record<string, unknown>> | null,
  ): Choice =>
  (around, random, mark) => {
    const item = some(random, items(around));
    return item === null ? null : args(item, random, mark, around);
  };
const note = ({ notes }: Around): readonly string[] => notes;
const task = ({ tasks }: Around): readonly string[] => tasks;
const entity = ({ entities }: Around): Around['entities'] => entities;
const connection = ({ connections }: Around): readonly string[] => connections;
const link = (path: string): string => `[[${path.slice(path.lastIndexOf('/') + 1, -3)}]]`;

/** Every tool that writes, some of them in the ways in which they differ, with arguments that fit the vault. */
const tools: readonly (readonly [name: string, tool: string, choose: Choice])[] = [
  [
    'create',
    'create_node',
    ({ notes }, random, mark) => ({
      title: `Made ${mark}`,
      directory: random.pick(['notes', 'notes/deep', 'other']),
      content: `Made. See ${link(random.pick(notes))}.\n`,
    }),
  ],
  [
    'extract a section',
    'create_node',
    withOne(
      ({ parts }) => parts,
      (path, _random, mark) => ({ title: `Part ${mark}`, directory: 'parts', from: `${path}#Part` }),
    ),
  ],
  [
    'update',
    'update_node',
    withOne(note, (id, random, mark, { notes }) => ({ id, content: `# Part\n\nNow ${mark}, see ${link(random.pick(notes))}.\n` })),
  ],
  ['append', 'update_node', withOne(note, (id, random, mark, { notes }) => ({ id, append: `Then ${mark}, ${link(random.pick(notes))}.` }))],
  [
    'append under a heading',
    'update_node',
    withOne(note, (id, _random, mark) => ({
      id,
      append: `- ${mark}`,
      prepend: `- first ${mark}`,
      under: `Log ${mark}`,
      create: true,
      tags: [mark],
    })),
  ],
  [
    'edit',
    'update_node',
    withOne(note, (id, _random, mark) => ({ id, edits: [{ find: 'e', replace: `${mark}e`, all: true }], properties: { mark } })),
  ],
  ['move', 'update_node', withOne(note, (id, _random, mark) => ({ id, directory: `moved/${mark}`, append: mark }))],
  ['delete a section', 'update_node', withOne(note, (id, _random, mark) => ({ id, content: `# One ${mark}\n\n# Two\n\ntext\n` }))],
  ['a day', 'update_node', (_around, random, mark) => ({ id: `@2026-01-${10 + random.below(15)}`, append: mark })],
  ['update properties', 'update_node', withOne(note, (id, _random, mark) => ({ id, properties: { mark }, tags: [mark] }))],
  ['rename', 'update_node', withOne(note, (id, _random, mark) => ({ id, title: `Note ${mark}` }))],
  [
    'rename a mix',
    'rename',
    ({ notes }, random, mark) => {
      const [one, other] = [random.pick(notes), random.pick(notes)];
      const swap =
        one === other
          ? [{ from: one, to: `moved/Mix ${mark}` }]
          : [
              { from: one, to: other },
              { from: other, to: one },
            ];
      return { changes: swap };
    },
  ],
  ['rename an entity', 'update_node', withOne(entity, ({ name }, _random, mark) => ({ id: name, title: `Entity ${mark}` }))],
  ['delete', 'delete_node', withOne(note, (id, _random, _mark, { notes }) => (notes.length < 6 ? null : { id }))],
  [
    'ensure_singleton_node',
    'ensure_singleton_node',
    withOne(
      ({ types }) => types,
      (type, _random, mark) => ({ type, content: mark, encoding: 'utf-8', format: 'text' }),
    ),
  ],
  ['graph_open', 'graph_open', (_around, _random, mark) => ({ project: `p ${mark}`, goal: 'More' })],
  [
    'graph_plan',
    'graph_plan',
    (_around, random, mark) => ({
      project: 'shed',
      nodes: [0, 1, 2, 3]
        .slice(random.below(3))
        .map((n) => ({ ref: `r${n}`, summary: `Task ${n} ${mark}`, ...(n === 3 ? {} : { depends_on: ['r3'] }) })),
    }),
  ],
  ['graph_next', 'graph_next', (_around, random) => ({ project: 'shed', claim: true, count: 1 + random.below(3) })],
  [
    'graph_update',
    'graph_update',
    (around, random, mark) => ({
      updates: [...new Set([some(random, around.tasks), some(random, around.tasks)])].map((node_id) => ({
        node_id,
        resolved: random.chance(0.5),
        properties: { mark },
        add_evidence: [{ type: 'note', ref: mark }],
      })),
    }),
  ],
  [
    'graph_connect',
    'graph_connect',
    withOne(task, (from, random, _mark, { tasks }) => ({
      edges: [{ from, to: random.pick(tasks), type: random.pick(['relates_to', 'depends_on']) }],
    })),
  ],
  [
    'graph_restructure',
    'graph_restructure',
    withOne(task, (node_id, random, _mark, { tasks }) => ({
      operations: [
        random.pick([
          { op: 'move', node_id, new_parent: random.pick(tasks) },
          { op: 'merge', source: node_id, target: random.pick(tasks) },
          { op: 'drop', node_id, reason: 'no need' },
          { op: 'delete', node_id },
        ]),
      ],
    })),
  ],
  [
    'create_entities',
    'create_entities',
    (_around, _random, mark) => ({ entities: [0, 1, 2].map((n) => ({ name: `E${n} ${mark}`, entityType: 'made', observations: [mark] })) }),
  ],
  [
    'create_relations',
    'create_relations',
    withOne(entity, ({ name }, random, _mark, { entities }) => ({
      relations: [0, 1].map(() => ({ from: name, to: random.pick(entities).name, relationType: random.pick(['knows', 'likes', 'uses']) })),
    })),
  ],
  [
    'add_observations',
    'add_observations',
    (around, random, mark) => ({
      observations: around.entities
        .slice(0, 1 + random.below(3))
        .map(({ name }) => ({ entityName: name, contents: [mark, `${mark} too`] })),
    }),
  ],
  [
    'delete_observations',
    'delete_observations',
    withOne(entity, ({ name, observations }) => ({ deletions: [{ entityName: name, observations: observations.slice(0, 2) }] })),
  ],
  [
    'delete_relations',
    'delete_relations',
    withOne(
      ({ entities }) => entities.filter(({ relations }) => relations.length > 0),
      ({ name, relations }) => ({ relations: relations.slice(0, 2).map((each) => ({ from: name, ...each })) }),
    ),
  ],
  [
    'delete_entities',
    'delete_entities',
    withOne(entity, ({ name }, _random, _mark, { entities }) => (entities.length < 4 ? null : { entityNames: [name] })),
  ],
  ['add_node_type', 'add_node_type', (_around, _random, mark) => ({ type_name: `type ${mark}` })],
  [
    'add_connection_type',
    'add_connection_type',
    (_around, _random, mark) => ({ type_name: `to ${mark}`, from_types: ['thing'], to_types: ['thing', 'log'] }),
  ],
  [
    'create_connection',
    'create_connection',
    withOne(
      ({ things }) => things,
      (from_node_id, random, mark, { things }) => ({ type: 'near', from_node_id, to_node_id: random.pick(things), properties: { mark } }),
    ),
  ],
  [
    'update_connection',
    'update_connection',
    withOne(connection, (connection_id, _random, mark) => ({ connection_id, properties: { mark } })),
  ],
  ['delete_connection', 'delete_connection', withOne(connection, (connection_id) => ({ connection_id }))],
];

const commands: readonly (readonly [name: string, choose: (around: Around, random: Random) => readonly string[] | null])[] = [
  [
    'undo',
    ({ batches }, random) => {
      const batch = some(random, batches);
      return batch === null ? null : ['undo', batch];
    },
  ],
  ['undo by agent', () => ['undo', '--by', 'killed', '--since', new Date(Date.now() - 5_000).toISOString()]],
  [
    'restore',
    ({ trash }, random) => {
      const batch = some(random, trash);
      return batch === null ? null : ['restore', batch];
    },
  ],
  ['move', ({ notes }, random) => ['move', random.pick(notes), random.pick(['notes', 'moved', 'moved/further'])]],
  ['move a folder', () => ['move', 'notes/deep/', 'moved']],
  [
    'rename a heading',
    ({ notes }, random) => {
      const [from, to] = random.pick([
        ['Part', 'Other part'],
        ['Other part', 'Part'],
      ] as const);
      return ['rename', `${random.pick(notes)}#${from}`, to];
    },
  ],
  ['doctor --fix', () => ['doctor', '--fix']],
];

/** The names of all that is tried. */
export const operationNames: readonly string[] = [...tools, ...commands].map(([name]) => name);

/** The operation whose turn it is, with a few calls before and behind it, as the vault allows; null when it has nothing to do. */
export function chooseWork(
  name: string,
  vault: TestVault,
  random: Random,
  mark: string,
): { readonly work: Work; readonly names: readonly string[] } | null {
  const around = lookAround(vault);
  const command = commands.find(([each]) => each === name);
  if (command !== undefined) {
    const args = command[1](around, random);
    return args === null ? null : { work: { kind: 'command', name, args }, names: [name] };
  }
  const others = (count: number) => Array.from({ length: random.below(count) }, () => random.pick(tools));
  const chosen = [...others(3), ...tools.filter(([each]) => each === name), ...others(2)].flatMap(([each, tool, choose], index) => {
    const args = choose(around, random, `${mark}x${index}`);
    return args === null ? [] : [{ name: each, call: { tool, args: { ...args, idempotency_key: `${mark}-${index}` } } }];
  });
  if (!chosen.some((each) => each.name === name)) return null;
  return { work: { kind: 'calls', calls: chosen.map(({ call }) => call) }, names: chosen.map((each) => each.name) };
}
