import type { Random } from '../../../support/random.ts';
import { PROJECT } from '../donor.ts';
import type { Ground } from '../ground.ts';
import { LINK_NAMES, ODD_NAMES } from '../plants/files.ts';
import { TASK_IDS } from '../plants/graphs.ts';
import { CALLED_KEYS, PLANTED_BATCHES } from '../plants/past.ts';
import { hostilePaths, hostileTexts } from '../strings.ts';

/** What calls are made of: names of what is there, and of what is not to be reached. */
export interface Words {
  /** A text for an argument of this name; `isHostile` takes what nobody would send. */
  text(name: string, isHostile: boolean): string;
}

const NOTES = [
  'target/plain.md',
  'target/other.md',
  'target/third',
  'plain',
  'Other name',
  'Ada',
  'bath',
  'ada.md',
  'Keyed again',
  'target/photo.png',
  'ontology',
  'nothing at all',
];
const ENTITIES = ['tea', 'cup', 'kettle', 'Tea'];
const ODD = [
  'matter/3.md',
  'bodies/7',
  'binary/0.md',
  'twins/1/plain',
  'target/board.canvas',
  'same',
  'huge',
  'odd-0',
  'projects/greenhouse/ring-3',
  'ring-1',
  'same-task',
];

/** What an argument of a name is filled with; the last one is for all others. */
const BY_NAME: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^idempotency_key$/, CALLED_KEYS],
  [/^(batch|since)$/, [...PLANTED_BATCHES, '2026-01-01T00:00:00Z']],
  [
    /restore|path\|batch/,
    [...PLANTED_BATCHES, ...PLANTED_BATCHES.map((batch) => `${batch}/victim/a.md`), 'planted.md', 'victim/a', 'gone', 'x'],
  ],
  [/^(by|agent|claimed_by)$/, ['eve', 'cli', 'roux-test', 'roux-hostile']],
  [/^(project|scope|ancestor|parent_ref|new_parent)$/, [PROJECT, 'odd', 'p1', 'new-project', 'ring-1', ...TASK_IDS]],
  [/^(entityName|entityNames|names|from|to|source|target|name)$/, [...ENTITIES, ...NOTES]],
  [/^(directory|folder|path)$/, ['target', 'target/new', 'made', 'projects', 'nest', '']],
  [/^(tags?)$/, ['garden', 'garden/beds', '#garden', 'many', 't']],
  [
    /^(type|type_name|node_type|from_types|to_types|entityType|node_types)$/,
    ['person', 'place', 'drink', 'entity', 'task', 'ontology', 'same'],
  ],
  [/^(connection_type|relationType|connection_id)$/, ['lives_in', 'holds', 'c-same', 'likes']],
  [/^(query|words)$/, ['plain', 'garden tag:many', '"two words" -x', 'type:task path:target', '[id:same]', 'x', 'hot']],
  [/^(op)$/, ['move', 'merge', 'drop', 'delete']],
  [/^(title|summary|goal|reason|blocked_reason)$/, ['A fresh one', 'Plain', 'Another: title', 'tea', 'Über Ω']],
  [/^(content|contents|observations|state|ref|refs)$/, ['Some text with [[plain]].\n', 'hot', '# h\n\n- x\n']],
  [/^(cursor|if_match|offset)$/, ['1', '0123456789abcdef', '1000000000000001']],
  [/^(format|encoding|output)$/, ['markdown', 'json', 'memory-jsonl', 'graphml', 'base64']],
  [/node_id|^id$|^note$|^title$/, [...NOTES, ...TASK_IDS, 'dig', 'sow', 't_nothing']],
];

/** The words for one vault; its own stream of choices makes a repeat say the same. */
export function openWords(ground: Pick<Ground, 'vault' | 'outside'>, random: Random): Words {
  const hostile = [...hostilePaths(ground), ...hostileTexts, ...LINK_NAMES, ...ODD_NAMES, ...ODD];
  return {
    text(name, isHostile) {
      if (isHostile && random.chance(0.8)) return random.pick(hostile);
      if (random.chance(0.15)) return random.pick([...LINK_NAMES, ...ODD]);
      const [, known] = BY_NAME.find(([pattern]) => pattern.test(name)) ?? [null, NOTES];
      return random.pick(known);
    },
  };
}
