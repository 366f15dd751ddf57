import { createHash } from 'node:crypto';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openNodeFileSystem } from '../../../../src/store/folder/node-file-system.ts';
import { createOrigin } from '../../../../src/store/origin.ts';
import { encodeIntent } from '../../../../src/store/transaction/intent.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { putFile, putFolder, putHardLink, putLink, putOdd, putSparse } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostileJson, hostilePaths, someId } from '../strings.ts';

const JOURNAL = '.roux/journal';
const hashOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Who an intent says that it is from. */
type Mark = 'none' | 'made up' | 'of another folder' | 'of this folder';

/** Notes of the user that planted writes are after: without a person's word they stay as they are. */
export const VICTIMS = ['victim/a.md', 'victim/b.md', 'victim/sub/c.md'];

interface Forged {
  readonly steps: readonly object[];
  readonly images: readonly (string | null)[];
  readonly folders: readonly string[];
}

/** Steps in the format of a real intent, on paths that lead out, or on notes of the user. */
function forge(ground: Ground, { isSafe }: { isSafe: boolean }): Forged {
  const { random, vault } = ground;
  const steps: object[] = [];
  const images: (string | null)[] = [];
  const outward = hostilePaths(ground);
  const within = [...VICTIMS, 'victim/made.md', 'made-by-plant.md', 'victim/deep/er/made.md'];
  const somePath = (): string => (isSafe || random.chance(0.5) ? random.pick(within) : random.pick(outward));
  const hashAt = (path: string): string => {
    const place = join(vault, path);
    return VICTIMS.includes(path) && existsSync(place) ? hashOf(readFileSync(place)) : hashOf(random.pick(['', 'Private\n', 'x']));
  };
  const count = 1 + random.below(3);
  for (let index = 0; index < count; index++) {
    // One that leads out is enough for a whole intent.
    const path = !isSafe && index === 0 ? random.pick(outward) : somePath();
    const image = random.pick(['', 'planted\n', '---\nid: planted\n---\nplanted\n']);
    const rewrite = {
      before: hashAt(path),
      after: hashOf(image),
      changes: random.pick([null, [], [{ op: 'text', text: image }], [3]]),
      isCommutative: random.chance(0.5),
    };
    const kind = random.pick(['create', 'replace', 'move', 'remove'] as const);
    if (kind === 'create') steps.push({ kind, path, after: hashOf(image) });
    else if (kind === 'replace') steps.push({ kind, path, ...rewrite });
    else if (kind === 'move') steps.push({ kind, from: path, to: somePath(), over: null, keepsFrom: random.chance(0.2), ...rewrite });
    else
      steps.push({
        kind,
        path,
        before: hashAt(path),
        trash: random.pick([null, '../../outside/made.md', '.roux/trash/x/y.md', somePath()]),
      });
    images.push(kind === 'remove' ? null : image);
  }
  return { steps, images, folders: random.chance(0.3) ? [somePath(), 'victim/deep', 'victim/deep/er'] : [] };
}

/** Plants an intent with the files that it needs; its mark as an attacker could make it, or, against all odds, as roux would. */
function plantIntent(ground: Ground, forged: Forged, mark: Mark): string {
  const { random, vault, donor } = ground;
  const id = someId(random);
  const timestamp = random.pick(['2026-01-01T00:00:00.000Z', 'x', '', '+275760-09-13T00:00:00.000Z']);
  const event = {
    seq: random.pick([1, 1e15, 4e15]),
    timestamp,
    node: 'x',
    path: VICTIMS[0],
    agent: 'eve',
    action: 'created',
    changes: [],
    batch: id,
  };
  const intent = {
    format: 1,
    id: random.chance(0.95) ? id : someId(random),
    operation: random.pick(['planted', '\u001b[31mplanted', '__proto__', 'x'.repeat(10_000)]),
    agent: 'eve',
    timestamp,
    steps: forged.steps,
    events: random.chance(0.8) ? [event] : [],
    folders: forged.folders,
    ...(random.chance(0.2) ? { key: { seq: 1, timestamp, key: 'planted-key', payload: 'p', result: { files: [], batch: null } } } : {}),
  };
  const whatEver = hashOf(JSON.stringify(intent));
  const sign = (text: string): never => {
    if (mark === 'none') return undefined as never;
    if (mark === 'made up')
      return random.pick([{ by: 'folder', code: whatEver }, { by: 'secret', code: '' }, { by: 'x' }, null, 3, []]) as never;
    return createOrigin(openNodeFileSystem(mark === 'of this folder' ? vault : donor.root), testPorts()).sign(text) as never;
  };
  const name = random.pick(['json', 'json', 'abort']);
  putFile(ground, `${JOURNAL}/${id}.${name}`, encodeIntent(intent, { sign }));
  if (name === 'abort' && random.chance(0.5)) putFile(ground, `${JOURNAL}/${id}.json`, encodeIntent(intent, { sign }));
  for (const [index, image] of forged.images.entries()) {
    if (image === null || random.chance(0.1)) continue;
    const path = `${JOURNAL}/${id}.${index}`;
    const how = random.below(8);
    if (how === 0) putOdd(ground, path);
    else if (how === 1) putLink(ground, path, join(ground.outside, 'private.md'));
    else if (how === 2) putHardLink(ground, path, 'linked.md');
    else putFile(ground, path, image);
    if (random.chance(0.2)) putOdd(ground, `${JOURNAL}/${id}.${index}.old`);
    if (random.chance(0.1)) putHardLink(ground, `${JOURNAL}/${id}.${index}.over`, 'linked.md');
  }
  return `${JOURNAL}/${id}.${name} with mark ${mark}: ${JSON.stringify(forged.steps.map((step) => ({ ...step, changes: undefined })))}`.slice(
    0,
    600,
  );
}

/** Journals that came with the folder. */
export const journalPlants: readonly Plant[] = [
  {
    name: 'journal: forged intents',
    plant: (ground) =>
      Array.from({ length: 1 + ground.random.below(3) }, () =>
        plantIntent(
          ground,
          forge(ground, { isSafe: ground.random.chance(0.5) }),
          ground.random.pick(['none', 'made up', 'of another folder']),
        ),
      ).join('; '),
  },
  {
    name: 'journal: intents with a right mark that lead outside',
    plant: (ground) => plantIntent(ground, forge(ground, { isSafe: false }), 'of this folder'),
  },
  {
    name: 'journal: unfinished writes of another vault',
    plant: (ground) => {
      for (const files of ground.donor.unfinished)
        if (ground.random.chance(0.6)) for (const [name, bytes] of files) putFile(ground, `${JOURNAL}/${name}`, bytes);
    },
  },
  {
    name: 'journal: damaged unfinished writes of another vault',
    plant: (ground) => {
      const { random } = ground;
      for (const [name, bytes] of ground.donor.unfinished.flatMap((files) => [...files])) {
        const damage = random.pick([
          () => bytes.subarray(0, random.below(bytes.length + 1)),
          () => Buffer.concat([bytes, Buffer.from('\n{}\n')]),
          () => Buffer.from(bytes.map((byte) => (random.chance(0.01) ? byte ^ 1 : byte))),
          () => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1'),
          () => Buffer.alloc(0),
        ]);
        putFile(ground, `${JOURNAL}/${name}`, damage());
      }
    },
  },
  {
    name: 'journal: intents of other shapes',
    plant: (ground) => {
      const { random } = ground;
      for (let left = 1 + random.below(4); left > 0; left--) {
        const line = hostileJson(random);
        const isWhole = random.chance(0.6);
        const text = isWhole ? `${JSON.stringify({ format: 'roux-intent-1', sha256: hashOf(line) })}\n${line}\n` : line;
        putFile(ground, `${JOURNAL}/${someId(random)}.${random.pick(['json', 'abort', 'draft', '0', '0.old', 'x'])}`, text);
      }
    },
  },
  {
    name: 'journal: names that are no files',
    plant: (ground) =>
      Array.from({ length: 1 + ground.random.below(4) }, () => {
        const { random } = ground;
        const end = random.pick(['json', 'abort', 'draft', '0', '1.old', '0.again.1.00', 'x']);
        return putOdd(ground, `${JOURNAL}/${random.pick([someId(random), '0'.repeat(26), 'z'.repeat(26), 'a'])}.${end}`);
      }).join(', '),
  },
  {
    name: 'journal: intents that are files outside',
    plant: (ground) => {
      putHardLink(ground, `${JOURNAL}/${someId(ground.random)}.json`, 'linked.md');
      putLink(ground, `${JOURNAL}/${someId(ground.random)}.json`, join(ground.outside, 'private.md'));
    },
  },
  {
    name: 'journal: set aside before',
    plant: (ground) => {
      const { random } = ground;
      const id = someId(random);
      putFile(ground, `${JOURNAL}/rejected/${id}.json`, hostileJson(random));
      putOdd(ground, `${JOURNAL}/rejected/${id}.0`);
      putFolder(ground, `${JOURNAL}/rejected/${someId(random)}.json`);
      const old = join(ground.vault, `${JOURNAL}/rejected/${id}.json`);
      utimesSync(old, 1, 1);
      for (const files of ground.donor.unfinished)
        if (random.chance(0.3)) for (const [name, bytes] of files) putFile(ground, `${JOURNAL}/rejected/${name}`, bytes);
      plantIntent(ground, forge(ground, { isSafe: true }), 'made up');
    },
  },
  {
    name: 'journal: spare names of steps',
    plant: (ground) => {
      const { random } = ground;
      const id = someId(random);
      putOdd(ground, `.roux/tmp/${id}.0`);
      putHardLink(ground, `.roux/tmp/${id}.1`, 'linked.md');
      putFile(ground, `.roux-${id}.0`, 'x');
      putFile(ground, `victim/.roux-${id}.0`, 'x');
    },
  },
  {
    name: 'journal: a huge intent',
    isCostly: true,
    plant: (ground) => {
      const { random } = ground;
      const size = random.pick([50 * 2 ** 20, 300 * 2 ** 20, 3 * 2 ** 30, 6 * 2 ** 30]);
      const place = `${JOURNAL}/${random.pick(['', 'rejected/'])}${someId(random)}.${random.pick(['json', '0'])}`;
      putSparse(ground, place, size, '{"format":"roux-intent-1"}\n');
      return `${place}, ${size} bytes`;
    },
  },
  {
    name: 'journal: very many files',
    isCostly: true,
    plant: (ground) => {
      const count = 4_000 * ground.scale;
      for (let left = count; left > 0; left--) putFile(ground, `${JOURNAL}/${someId(ground.random)}.${left % 3 === 0 ? 'json' : '0'}`, '');
      return `${count} files`;
    },
  },
];
