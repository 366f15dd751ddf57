import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { putFile, putFolder, putHardLink, putLink, putOdd, putSparse } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostileJson, hostilePaths, hostileTexts, someId } from '../strings.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Keys with which the run calls tools: an answer that was planted under one of them must not be given. */
export const CALLED_KEYS = ['called-1', 'called-2', 'called-3'];
/** What planted answers say. */
export const PLANTED_ANSWER = 'a planted answer';

function forgeKey(ground: Ground): string {
  const { random } = ground;
  const timestamp = random.pick([new Date().toISOString(), '9999-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', 'x', '']);
  const result = random.pick<unknown>([
    PLANTED_ANSWER,
    { files: [], batch: null, events: [], warnings: [], result: { id: PLANTED_ANSWER, title: PLANTED_ANSWER } },
    { files: [{ path: '../outside/private.md', hash: null, rev: 1, changed: true }], batch: 'x', result: PLANTED_ANSWER },
    null,
    3,
  ]);
  return JSON.stringify({
    seq: random.pick([1, 2, 1e15, -1]),
    timestamp,
    key: random.pick([...CALLED_KEYS, ...hostileTexts]),
    payload: random.pick(['', 'p', hashOf('x')]),
    result,
    ...(random.chance(0.5)
      ? { origin: random.pick<unknown>([{ by: 'folder', code: hashOf('x') }, { by: 'secret', code: '' }, null, 'x']) }
      : {}),
  });
}

function forgeBatch(ground: Ground, id: string): string {
  const { random } = ground;
  const path = random.pick(['victim/a.md', ...hostilePaths(ground)]);
  const line = JSON.stringify({
    format: 1,
    id,
    operation: 'planted',
    agent: 'eve',
    timestamp: '2026-01-01T00:00:00.000Z',
    steps: [
      random.pick<object>([
        { kind: 'create', path, after: hashOf('Victim a\n') },
        { kind: 'replace', path, before: hashOf('planted\n'), after: hashOf('Victim a\n'), changes: null, isCommutative: false },
        {
          kind: 'move',
          from: path,
          to: 'victim/a.md',
          before: hashOf('planted\n'),
          after: hashOf('Victim a\n'),
          changes: null,
          isCommutative: false,
          over: null,
          keepsFrom: false,
        },
        {
          kind: 'remove',
          path,
          before: hashOf('planted\n'),
          trash: random.pick([null, `.roux/trash/${id}/x.md`, '../outside/private.md']),
        },
      ]),
    ],
    events: [],
    folders: [random.pick(['kept', 'victim', '../outside/folder'])],
  });
  const origin = random.pick<unknown>([null, { by: 'folder', code: hashOf(line) }, { by: 'secret', code: hashOf('') }]);
  return `${JSON.stringify({ format: 'roux-intent-1', sha256: hashOf(line), origin })}\n${line}\n`;
}

/** Names of batches that were planted, so that the run asks for their undoing. */
export const PLANTED_BATCHES = [
  '01hzzzzzzzzzzzzzzzzzzzzzz0',
  '01hzzzzzzzzzzzzzzzzzzzzzz1',
  '7zzzzzzzzzzzzzzzzzzzzzzzz2',
  '00000000000000000000000003',
];

/** Keys, batches and trash that came with the folder. */
export const pastPlants: readonly Plant[] = [
  {
    name: 'keys: answers that were never given',
    plant: (ground) => {
      const { random } = ground;
      const month = random.pick([new Date().toISOString().slice(0, 7), '2999-01', '2026-01', '9999-99']);
      const lines = Array.from({ length: 1 + random.below(20) }, () => (random.chance(0.9) ? forgeKey(ground) : hostileJson(random)));
      putFile(ground, `.roux/history/keys/${month}.jsonl`, `${lines.join('\n')}\n`);
    },
  },
  {
    name: 'batches: writes that were never made',
    plant: (ground) => {
      const { random } = ground;
      for (const id of PLANTED_BATCHES) {
        putFile(ground, `.roux/history/batches/${id}.json`, random.chance(0.9) ? forgeBatch(ground, id) : hostileJson(random));
        if (random.chance(0.5)) putFile(ground, `.roux/history/batches/${id}.0`, 'planted\n');
        else putOdd(ground, `.roux/history/batches/${id}.0`);
      }
    },
  },
  {
    name: 'batches: of another vault',
    plant: (ground) => {
      for (const [path, bytes] of ground.donor.home) if (path.startsWith('.roux/history/batches/')) putFile(ground, path, bytes);
    },
  },
  {
    name: 'batches: that are no files',
    plant: (ground) => {
      for (const id of PLANTED_BATCHES) putOdd(ground, `.roux/history/batches/${id}.json`);
      putHardLink(ground, `.roux/history/batches/${someId(ground.random)}.0`, 'linked.md');
    },
  },
  {
    name: 'trash: notes that were never removed',
    plant: (ground) => {
      const { random } = ground;
      for (const batch of [...PLANTED_BATCHES, someId(random), 'x', '__proto__']) {
        for (const path of [
          'victim/a.md',
          'planted.md',
          '.obsidian/app.json',
          '.git/config',
          'x/../y.md',
          'node_modules/x.md',
          'a\u001bb.md',
          '.rouxrc.json',
        ])
          if (random.chance(0.4)) putFile(ground, `.roux/trash/${batch}/${path.replace('../', 'dots/')}`, 'planted\n');
      }
    },
  },
  {
    name: 'trash: batches and entries that are links',
    plant: (ground) => {
      const { random, outside } = ground;
      const [first = '', second = '', third = '', fourth = ''] = PLANTED_BATCHES;
      putLink(ground, `.roux/trash/${first}`, join(outside, 'folder'));
      putLink(ground, `.roux/trash/${second}/private.md`, join(outside, 'private.md'));
      putLink(ground, `.roux/trash/${fourth}/folder`, join(outside, 'folder'));
      putHardLink(ground, `.roux/trash/${third}/linked.md`, 'linked.md');
      putOdd(ground, `.roux/trash/${fourth}/odd.md`);
      putOdd(ground, `.roux/trash/${random.pick([someId(random), 'x'])}`);
    },
  },
  {
    name: 'trash: of another vault',
    plant: (ground) => {
      for (const [path, bytes] of ground.donor.home) if (path.startsWith('.roux/trash/')) putFile(ground, path, bytes);
    },
  },
  {
    name: 'trash: much and large',
    isCostly: true,
    plant: (ground) => {
      const [batch = ''] = PLANTED_BATCHES;
      for (let left = 2_000 * ground.scale; left > 0; left--) putFile(ground, `.roux/trash/${batch}/many/${left}.md`, '');
      putSparse(ground, `.roux/trash/${batch}/huge.md`, 5 * 2 ** 30);
      putFolder(ground, `.roux/trash/${someId(ground.random)}`);
    },
  },
];
