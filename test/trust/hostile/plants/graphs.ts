import { putFile, putOdd } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostilePaths, hostileTexts } from '../strings.ts';

/** A value as YAML, which takes JSON. */
const yaml = (values: Readonly<Record<string, unknown>>): string =>
  `---\n${Object.entries(values)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`)
    .join('')}---\n`;

function odd({ random }: Ground): unknown {
  return random.pick<unknown>([
    null,
    true,
    'yes',
    -1,
    1e308,
    '',
    [],
    {},
    ['__proto__'],
    [null, 3, {}],
    { __proto__: 1, a: { b: { c: [] } } },
    '[[target/plain]]',
    ['[[task-1]]', 'task-2', '[[nowhere]]', 3],
    '2026-99-99T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    'x'.repeat(5_000),
    '\u001b[31m',
    random.pick(hostileTexts),
  ]);
}

/** Ids of forged tasks, so that the run names them. */
export const TASK_IDS = ['t_forged_0', 't_forged_1', 't_forged_2', 't_forged_3', '__proto__', 'constructor', `t_${'x'.repeat(5_000)}`];

const TASK_KEYS = [
  'id',
  'type',
  'title',
  'summary',
  'parent',
  'depends_on',
  'relates_to',
  'resolved',
  'blocked',
  'blocked_reason',
  'state',
  'evidence',
  'context_links',
  'properties',
  'claimed_by',
  'claimed_at',
  'claim',
  'rev',
  'created_at',
  'updated_at',
  'created_by',
  'project',
  'plan',
];
const MEMORY_KEYS = [
  'id',
  'type',
  'kind',
  'title',
  'aliases',
  'tags',
  'rev',
  'properties',
  'created_at',
  'entityType',
  'name',
  'observations',
];
const ONTOLOGY_KEYS = ['id', 'type', 'title', 'rev', 'node_types', 'connection_types', 'types', 'connections', 'properties'];

function someMatter(ground: Ground, keys: readonly string[], fixed: Readonly<Record<string, unknown>>): string {
  const values = Object.fromEntries(keys.filter(() => ground.random.chance(0.35)).map((key) => [key, odd(ground)]));
  return yaml({ ...values, ...fixed });
}

/** Task graphs, memories and ontologies as anybody may have written them. */
export const graphPlants: readonly Plant[] = [
  {
    name: 'tasks: odd fields',
    plant: (ground) => {
      const { random } = ground;
      for (const [at, id] of TASK_IDS.entries())
        putFile(
          ground,
          `projects/greenhouse/odd-${at}.md`,
          `${someMatter(ground, TASK_KEYS, random.chance(0.7) ? { id, type: 'task' } : {})}[[target/plain]]\n`,
        );
      putFile(ground, 'projects/odd/odd.md', someMatter(ground, TASK_KEYS, { type: random.pick(['project', 'root', 'task']) }));
    },
  },
  {
    name: 'tasks: circles',
    plant: (ground) => {
      const { random } = ground;
      const count = 30;
      for (let at = 0; at < count; at++) {
        const other = (): string => `[[ring-${random.below(count)}]]`;
        putFile(
          ground,
          `projects/greenhouse/ring-${at}.md`,
          yaml({
            id: `ring-${at}`,
            type: 'task',
            summary: `Ring ${at}`,
            parent: `[[ring-${(at + 1) % count}]]`,
            depends_on: [other(), other(), `[[ring-${at}]]`],
            resolved: random.chance(0.3),
          }),
        );
      }
    },
  },
  {
    name: 'tasks: a long chain',
    isCostly: true,
    plant: (ground) => {
      const count = 500 * ground.scale;
      for (let at = 0; at < count; at++)
        putFile(
          ground,
          `projects/greenhouse/chain/c-${at}.md`,
          yaml({
            id: `c-${at}`,
            type: 'task',
            summary: `C ${at}`,
            parent: `[[c-${at - 1}]]`,
            depends_on: [`[[c-${at + 1}]]`],
            resolved: at % 7 === 0,
          }),
        );
      return `${count} tasks`;
    },
  },
  {
    name: 'tasks: one id many times',
    plant: (ground) => {
      for (let at = 0; at < 10; at++)
        putFile(
          ground,
          `projects/p${at}/same.md`,
          yaml({ id: 'same-task', type: 'task', summary: `Same ${at}`, parent: '[[greenhouse]]' }),
        );
    },
  },
  {
    name: 'memory: odd fields',
    plant: (ground) => {
      const { random } = ground;
      for (let at = 0; at < 8; at++) {
        const title = random.pick(['tea', 'Tea', '__proto__', '../outside/private', ...hostileTexts]);
        const body = `## Observations\n- hot\n- ${random.pick(hostileTexts).replaceAll('\n', ' ')}\n\n## Relations\n- likes [[${random.pick(['tea', 'cup', '../outside/private', '__proto__', ''])}]]\n- ${random.pick(hostileTexts).replaceAll('\n', ' ')} [[tea]]\n`;
        putFile(
          ground,
          `memory/${random.pick(['', 'drink/', 'thing/', '__proto__/'])}odd-${at}.md`,
          `${someMatter(ground, MEMORY_KEYS, { type: 'entity', kind: random.pick<unknown>(['drink', 3, '']), title })}${body}`,
        );
      }
    },
  },
  {
    name: 'memory: circles and twins',
    plant: (ground) => {
      for (let at = 0; at < 20; at++)
        putFile(
          ground,
          `memory/thing/twin-${at}.md`,
          `${yaml({ type: 'entity', kind: 'thing', title: 'tea', id: at % 2 === 0 ? 'e_twin' : `e_${at}` })}## Observations\n- hot\n- hot\n## Relations\n- is [[tea]]\n- is [[twin-${(at + 1) % 20}]]\n- is [[twin-${at}]]\n`,
        );
    },
  },
  {
    name: 'ontology: odd fields',
    plant: (ground) => {
      const { random } = ground;
      const connection = random.pick<unknown>([
        [{ name: '__proto__', from_types: ['person'], to_types: ['place'], required_properties: ['__proto__'] }],
        [{ name: 3 }, null, 'x', []],
        { lives_in: { from: ['person'], to: 3 } },
        [
          { name: 'lives_in', from_types: ['person'], to_types: ['place'] },
          { name: 'lives_in', from_types: [], to_types: [] },
        ],
        Array.from({ length: 2_000 }, (_, at) => ({ name: `c${at}`, from_types: ['person'], to_types: ['place'] })),
      ]);
      const types = random.pick<unknown>([
        ['person', 'place', '__proto__', 'constructor', ''],
        { person: 1 },
        'person',
        [1, null],
        Array.from({ length: 5_000 }, (_, at) => `t${at}`),
      ]);
      putFile(
        ground,
        'ontology.md',
        `${someMatter(ground, ONTOLOGY_KEYS, random.chance(0.8) ? { type: 'ontology', node_types: types, connection_types: connection } : {})}\n## Types\n- x\n`,
      );
      if (random.chance(0.3)) putFile(ground, 'second/ontology.md', yaml({ type: 'ontology', node_types: ['person'] }));
    },
  },
  {
    name: 'ontology: no file',
    plant: (ground) => putOdd(ground, 'ontology.md'),
  },
  {
    name: 'ontology: typed notes and connections that do not fit',
    plant: (ground) => {
      const { random } = ground;
      for (let at = 0; at < 6; at++)
        putFile(
          ground,
          `typed/${at}.md`,
          `${yaml({ id: random.pick([`n-${at}`, 'same', '__proto__']), type: random.pick<unknown>(['person', 'place', 'nothing', 3]), format: odd(ground), encoding: random.pick(['base64', 'utf-8', 'x']), properties: odd(ground) })}\`\`\`\n${random.pick(hostileTexts)}\n\`\`\`\n![[${random.pick(hostilePaths(ground))}]]\n## Relations\n- lives_in [[${random.pick(['bath', 'ada', 'nowhere', '../outside/private'])}]] [a:: 1] ^c-same\n`,
        );
    },
  },
];
