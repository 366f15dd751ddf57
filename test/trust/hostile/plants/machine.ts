import { createHash } from 'node:crypto';
import { utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { putFile, putFolder, putHardLink, putLink, putOdd, putSparse } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostileJson } from '../strings.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const LOCK = '.roux/lock';

/** Numbers of tickets as nobody counts to them. */
const NUMBERS = [
  '0',
  '-1',
  '1',
  '7',
  '007',
  '1e308',
  'NaN',
  'Infinity',
  String(2 ** 53),
  '999999999999',
  '1000000000000',
  '1000000000001',
  '9999999999999',
  '99999999999999',
  '9'.repeat(250),
  '5.free',
  '1000000000000.free',
  '999999999999.free',
  '3.free.free',
  '1.5',
  '٣',
];

function someTicket({ random }: Ground): string {
  const pid = random.pick<unknown>([1, process.pid, 2 ** 22, 999_999_999, -1, 0, 1.5, 'x', null, 1e308]);
  const record = {
    pid,
    start: random.pick<unknown>([null, '1', 3, {}]),
    boot: random.pick<unknown>([null, 'another-boot', 3]),
    namespace: random.pick<unknown>([null, 'pid:[4026531836]', {}]),
    host: random.pick<unknown>([hostname(), 'elsewhere', null]),
    machine: random.pick<unknown>([null, '', 'x', {}]),
    nonce: random.pick(['', 'x']),
  };
  return random.chance(0.6) ? JSON.stringify(record) : hostileJson(random);
}

/** Caches, locks and run files that came with the folder. */
export const machinePlants: readonly Plant[] = [
  {
    name: 'lock: tickets that nobody drew',
    plant: (ground) => {
      const { random } = ground;
      return Array.from({ length: 1 + random.below(4) }, () => {
        const name = random.pick(NUMBERS);
        if (random.chance(0.3)) return putOdd(ground, `${LOCK}/${name}`);
        putFile(ground, `${LOCK}/${name}`, someTicket(ground));
        // A ticket of a machine that may be alive is waited for; that of a clone is as old as the clone.
        const age = random.pick([0, 3_600, -3_600 * 24 * 3_650]);
        const time = Date.now() / 1_000 - age;
        utimesSync(join(ground.vault, LOCK, name), time, time);
        return `${name} (${age} s old)`;
      }).join(', ');
    },
  },
  {
    name: 'lock: drafts and waiting marks',
    plant: (ground) => {
      const { random } = ground;
      for (const pid of ['1', String(process.pid), '0', '9999999999', '-1', 'x'])
        for (const kind of ['draft', 'wait']) if (random.chance(0.5)) putFile(ground, `${LOCK}/${kind}-${pid}-x`, '');
      putOdd(ground, `${LOCK}/draft-1-y`);
      putOdd(ground, `${LOCK}/wait-1-y`);
    },
  },
  {
    name: 'lock: tickets that are files outside',
    plant: (ground) => {
      const number = ground.random.pick(['1', '2', '12', '999999999999']);
      putHardLink(ground, `${LOCK}/${number}`, 'linked.md');
      putHardLink(ground, `${LOCK}/${number}.free`, 'linked.md');
      return number;
    },
  },
  {
    name: 'lock: very many files',
    isCostly: true,
    plant: (ground) => {
      const { random } = ground;
      const name = random.pick([
        (at: number) => String(at),
        (at: number) => `${at}.free`,
        (at: number) => `wait-1-${at}`,
        (at: number) => `draft-${at}-x`,
        (at: number) => `x${at}`,
      ]);
      const count = 5_000 * ground.scale;
      for (let at = 0; at < count; at++) putFile(ground, `${LOCK}/${name(at)}`, '');
      return `${count} files such as ${name(7)}`;
    },
  },
  {
    name: 'cache: forged',
    plant: (ground) => {
      const { random } = ground;
      const body = random.pick([
        () => Buffer.from(hostileJson(random)),
        () => Buffer.from([0xff, 0x0f, 0x6f, 0x22, 0x01, 0x61, 0x49, 0x02, 0x7b, 0x01]),
        () => Buffer.concat([Buffer.from('roux-cache-3 x\n'), Buffer.alloc(64, 0xff)]),
        () => Buffer.alloc(100_000, 0xff),
      ])();
      const sha256 = hashOf(body);
      const head = random.pick([
        `${JSON.stringify({ sha256, origin: { by: 'folder', code: sha256 } })}\n`,
        `${JSON.stringify({ sha256, origin: { by: 'secret', code: '' } })}\n`,
        `${JSON.stringify({ sha256, origin: null })}\n`,
        `${JSON.stringify({ sha256: {}, origin: {} })}\n`,
        '\n',
        '',
        `${'{'.repeat(900)}\n`,
      ]);
      for (const name of ['notes', 'search'])
        if (random.chance(0.7)) putFile(ground, `.roux/cache/${name}`, Buffer.concat([Buffer.from(head), body]));
    },
  },
  {
    name: 'cache: of another vault',
    plant: (ground) => {
      for (const [path, bytes] of ground.donor.home) if (path.startsWith('.roux/cache/')) putFile(ground, path, bytes);
    },
  },
  {
    name: 'cache: no files',
    plant: (ground) => `${putOdd(ground, '.roux/cache/notes')}, ${putOdd(ground, '.roux/cache/search')}`,
  },
  {
    name: 'cache: huge',
    isCostly: true,
    plant: (ground) => {
      const size = ground.random.pick([300 * 2 ** 20, 3 * 2 ** 30, 6 * 2 ** 30]);
      const head = ground.random.pick(['', `${JSON.stringify({ sha256: 'x', origin: { by: 'folder', code: '0'.repeat(64) } })}\n`]);
      putSparse(ground, `.roux/cache/${ground.random.pick(['notes', 'search'])}`, size, head);
      return `${size} bytes`;
    },
  },
  {
    name: 'run: a token and an address',
    plant: (ground) => {
      const { random } = ground;
      putFile(
        ground,
        '.roux/run/token',
        random.pick(['a planted token of 32 characters', '', 'x', '\u001b[31m'.repeat(10), '\u0000'.repeat(64)]),
      );
      putFile(ground, '.roux/run/server.json', random.pick(['{"pid":1,"url":"http://example.invalid"}', hostileJson(random)]));
    },
  },
  {
    name: 'run: no files',
    plant: (ground) => `${putOdd(ground, '.roux/run/token')}, ${putOdd(ground, '.roux/run/server.json')}`,
  },
  {
    name: 'run: files outside',
    plant: (ground) => {
      putHardLink(ground, '.roux/run/server.json', 'linked.md');
      putHardLink(ground, '.roux/run/token', 'linked.md');
      putFolder(ground, '.roux/run/folder');
      putLink(ground, '.roux/run/link', ground.outside);
    },
  },
];
