import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFile, putHardLink, putLink, putOdd, putSparse, clearPlace } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostileJson, hostilePaths, hostileTexts, someId } from '../strings.ts';

const HISTORY = '.roux/history';

/** Names of segments: of past months, of this one, of the next century, and what only looks like one. */
function someSegment({ random }: Pick<Ground, 'random'>): string {
  const now = new Date().toISOString().slice(0, 7);
  return random.pick(['2025-12', '2026-01', '2026-01-0002', now, now, `${now}-0002`, '2999-12', '9999-99-9999', '0000-00', 'x', '2026-1']);
}

/** An event as it may come from anybody. */
function forgeEvent(ground: Ground): string {
  const { random } = ground;
  const path = random.pick(['target/plain.md', 'victim/a.md', ...hostilePaths(ground), ...hostileTexts]);
  const other = random.pick([...hostilePaths(ground), 'kept/one.md']);
  const event = {
    seq: random.pick([1, 2, 3, 0, -1, 1.5, 1e15, 1e15 - 1, 2 ** 53, 1e308]),
    timestamp: random.pick(['2026-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', 'x', '', '\u001b[2J', '-000001-01-01T00:00:00Z']),
    node: random.pick([path, 'target/plain.md', '__proto__']),
    path,
    agent: random.pick(['eve', 'cli', 'roux-test', '\u001b[31meve', '', 'x'.repeat(5_000)]),
    action: random.pick(['created', 'renamed', 'moved', 'merged', 'external', 'nonsense', '\u001b[7m']),
    changes: random.pick([
      [],
      [{ field: 'path', before: other, after: path }],
      [{ field: 'merged_from', before: [other, 3, null], after: [] }],
      [{ field: 'file', before: null, after: 'x' }],
      [{ field: '\u001b[31m', before: { deep: [[[[]]]] }, after: '\u001b[2J' }],
      [{ field: 'content' }],
    ]),
    ...(random.chance(0.5) ? { batch: random.pick([someId(random), '../../../outside/private', '', '\u001b[31m']) } : {}),
    ...(random.chance(0.5) ? { hash: random.pick(['', '0123456789abcdef', 'x'.repeat(300)]) } : {}),
  };
  return JSON.stringify(event);
}

/** Histories that came with the folder. */
export const historyPlants: readonly Plant[] = [
  {
    name: 'history: forged events',
    plant: (ground) => {
      const { random } = ground;
      for (let left = 1 + random.below(3); left > 0; left--) {
        const lines = Array.from({ length: 1 + random.below(40) }, () => (random.chance(0.9) ? forgeEvent(ground) : hostileJson(random)));
        putFile(
          ground,
          `${HISTORY}/${someSegment(ground)}.jsonl`,
          lines.join(random.pick(['\n', '\n', '\r\n', '\n\n'])) + random.pick(['\n', '']),
        );
      }
    },
  },
  {
    name: 'history: segments that are no files',
    plant: (ground) =>
      Array.from({ length: 1 + ground.random.below(4) }, () =>
        putOdd(ground, `${HISTORY}/${ground.random.pick(['', '', 'keys/'])}${someSegment(ground)}.jsonl`),
      ).join(', '),
  },
  {
    name: 'history: segments that are files outside',
    plant: (ground) => {
      const now = new Date().toISOString().slice(0, 7);
      putHardLink(ground, `${HISTORY}/${ground.random.pick([now, '2999-12', '2026-01'])}.jsonl`, 'linked.jsonl');
      putHardLink(ground, `${HISTORY}/keys/${ground.random.pick([now, '2999-12', '2026-01'])}.jsonl`, 'linked-keys.jsonl');
      putLink(ground, `${HISTORY}/2026-02.jsonl`, join(ground.outside, 'private.jsonl'));
    },
  },
  {
    name: 'history: bytes that are no lines',
    plant: (ground) => {
      const { random } = ground;
      const bytes = random.pick([
        () => Buffer.from(Array.from({ length: 20_000 }, () => random.below(256))),
        () => Buffer.alloc(100_000),
        () => Buffer.from('x'.repeat(5 * 2 ** 20)),
        () => Buffer.from(`{"seq":1,"node":"${'x'.repeat(5 * 2 ** 20)}"}\n${forgeEvent(ground)}\n`),
        () => Buffer.from(forgeEvent(ground).slice(0, 40)),
        () => Buffer.concat([Buffer.from(forgeEvent(ground)), Buffer.from([0, 10, 0xff, 0xfe, 10])]),
      ])();
      putFile(ground, `${HISTORY}/${someSegment(ground)}.jsonl`, bytes);
      return `${bytes.length} bytes`;
    },
  },
  {
    name: 'history: of another vault',
    plant: (ground) => {
      for (const [path, bytes] of ground.donor.home) if (path.startsWith(`${HISTORY}/`)) putFile(ground, path, bytes);
    },
  },
  {
    name: 'history: very many lines',
    isCostly: true,
    plant: (ground) => {
      const count = 40_000 * ground.scale;
      const name = `${HISTORY}/${ground.random.pick([`${HISTORY}`.length > 0 ? new Date().toISOString().slice(0, 7) : '', '2026-01'])}.jsonl`;
      const place = clearPlace(ground, name);
      const line = (seq: number): string =>
        `{"seq":${seq},"timestamp":"2026-01-01T00:00:00.000Z","node":"target/plain.md","path":"target/plain.md","agent":"eve","action":"updated","changes":[]}\n`;
      for (let seq = 0; seq < count; seq += 5_000) appendFileSync(place, Array.from({ length: 5_000 }, (_, at) => line(seq + at)).join(''));
      return `${name}, ${count} lines`;
    },
  },
  {
    name: 'history: very many segments',
    isCostly: true,
    plant: (ground) => {
      const count = 1_000 * ground.scale;
      for (let at = 0; at < count; at++)
        putFile(
          ground,
          `${HISTORY}/${ground.random.pick(['', 'keys/'])}${2000 + (at % 900)}-01-${String(at).padStart(4, '0').slice(-4)}.jsonl`,
          '',
        );
      return `${count} segments`;
    },
  },
  {
    name: 'history: a huge segment',
    isCostly: true,
    plant: (ground) => {
      const size = ground.random.pick([100 * 2 ** 20, 3 * 2 ** 30, 6 * 2 ** 30]);
      const place = `${HISTORY}/${ground.random.pick(['', 'keys/'])}${someSegment(ground)}.jsonl`;
      putSparse(ground, place, size, `${forgeEvent(ground)}\n`);
      return `${place}, ${size} bytes`;
    },
  },
];
