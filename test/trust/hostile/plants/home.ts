import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderAt, lockAway, putFifo, putFile, putFolder, putLink, putOdd } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';

/** Every folder of roux's own, and where one would be made. */
const FOLDERS = [
  '.roux',
  '.roux/journal',
  '.roux/journal/rejected',
  '.roux/history',
  '.roux/history/keys',
  '.roux/history/batches',
  '.roux/trash',
  '.roux/cache',
  '.roux/lock',
  '.roux/run',
  '.roux/tmp',
];

const upFrom = (path: string): string => '../'.repeat(path.split('/').length - 1);

/** What stands where a folder of roux belongs. */
const STANDS: Readonly<Record<string, (ground: Ground, path: string) => void>> = {
  'link to a folder outside': (ground, path) => putLink(ground, path, join(ground.outside, 'folder')),
  'relative link to a folder outside': (ground, path) => putLink(ground, path, `${upFrom(path)}../outside/folder`),
  'link to the whole outside': (ground, path) => putLink(ground, path, ground.outside),
  'link to a file outside': (ground, path) => putLink(ground, path, join(ground.outside, 'private.md')),
  'dangling link': (ground, path) => putLink(ground, path, join(ground.outside, 'to-be-made')),
  'link to ..': (ground, path) => putLink(ground, path, '..'),
  'link to .': (ground, path) => putLink(ground, path, '.'),
  'link to itself': (ground, path) => putLink(ground, path, path.slice(path.lastIndexOf('/') + 1)),
  "link to the vault's notes": (ground, path) => putLink(ground, path, `${upFrom(path)}kept`),
  'link to the root': (ground, path) => putLink(ground, path, '/'),
  'link to /dev/null': (ground, path) => putLink(ground, path, '/dev/null'),
  'regular file': (ground, path) => putFile(ground, path, 'not a folder\n'),
  'empty file': (ground, path) => putFile(ground, path, ''),
  FIFO: putFifo,
  'folder without rights': (ground, path) => {
    if (!existsSync(join(ground.vault, path))) putFolder(ground, path);
    if (lstatSync(join(ground.vault, path)).isDirectory()) lockAway(ground, path);
  },
};

/** Folders of roux's own as something else; to be planted when all that goes into them is there. */
export const homePlants: readonly Plant[] = [
  {
    name: 'home: a folder of roux is something else',
    plant: (ground) => {
      const { random } = ground;
      const path = random.pick(FOLDERS);
      const what = random.pick(Object.keys(STANDS));
      STANDS[what]?.(ground, path);
      return `${path} as ${what}`;
    },
  },
  {
    name: 'home: many folders of roux are something else',
    plant: (ground) => {
      const { random } = ground;
      const done = FOLDERS.slice(1)
        .filter(() => random.chance(0.4))
        .toReversed()
        .map((path) => {
          const what = random.pick(Object.keys(STANDS));
          STANDS[what]?.(ground, path);
          return `${path} as ${what}`;
        });
      return done.join(', ');
    },
  },
  {
    name: 'home: files of roux are something else',
    plant: (ground) =>
      putOdd(ground, ground.random.pick(['.roux/.gitignore', '.roux/.gitattributes', '.roux/cache/notes', '.roux/cache/search'])),
  },
  {
    name: 'home: names that roux makes when it puts something aside',
    plant: ({ vault, random, ...rest }) => {
      const ground = { vault, random, ...rest };
      for (const path of FOLDERS.slice(0, 4)) putFile(ground, `${path}.rejected-${'0'.repeat(26)}`, 'x');
      putFolder(ground, '.roux.rejected-folder');
      putLink(ground, '.roux/journal.rejected-link', ground.outside);
    },
  },
  {
    name: 'home: files and folders without rights',
    plant: (ground) => {
      const { random } = ground;
      const month = new Date().toISOString().slice(0, 7);
      const files = [
        `.roux/history/${month}.jsonl`,
        `.roux/history/keys/${month}.jsonl`,
        '.roux/history/batches/01hzzzzzzzzzzzzzzzzzzzzzz0.json',
        '.roux/journal/01hzzzzzzzzzzzzzzzzzzzzzzz.json',
        '.roux/journal/01hzzzzzzzzzzzzzzzzzzzzzzy.0',
        '.roux/journal/rejected/01hzzzzzzzzzzzzzzzzzzzzzzx.json',
        '.roux/lock/3',
        '.roux/lock/2.free',
        '.roux/cache/notes',
        '.roux/tmp/01hzzzzzzzzzzzzzzzzzzzzzzw.0',
        '.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz0/x.md',
        '.roux/.gitignore',
      ].filter(() => random.chance(0.5));
      for (const path of files) {
        putFile(ground, path, 'x\n');
        chmodSync(join(ground.vault, path), random.pick([0, 0o200, 0o400]));
      }
      const folder = random.pick([
        '.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzz1',
        '.roux/trash',
        '.roux/lock',
        '.roux/history',
        '.roux/tmp',
        '.roux',
      ]);
      const mode = random.pick([0, 0o100, 0o400, 0o500, 0o600]);
      chmodSync(folderAt(ground, folder), mode);
      return `${files.join(', ')}; ${folder} as ${mode.toString(8)}`;
    },
  },
  {
    name: 'home: in another case',
    plant: (ground) => {
      putLink(ground, '.Roux', join(ground.outside, 'folder'));
      putFile(ground, '.ROUX/journal/x.json', '{}');
    },
  },
  {
    name: 'home: nested very deep',
    plant: (ground) => {
      const depth = Math.min(300 * ground.scale, 1_800);
      const place = ground.random.pick(['.roux/trash', '.roux/journal/rejected', '.roux/tmp', '.roux/cache']);
      makeDeep(folderAt(ground, place), depth);
      return `${place}, ${depth} folders deep`;
    },
  },
];

/** Nests folders below one, deeper than one path could say. */
export function makeDeep(folder: string, depth: number): void {
  const before = process.cwd();
  process.chdir(folder);
  try {
    for (let left = depth; left > 0; left--) {
      mkdirSync('d', { recursive: true });
      process.chdir('d');
      if (readdirSync('.').length > 0) return;
    }
  } finally {
    process.chdir(before);
  }
}
