import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockAway, putFifo, putFile, putFolder, putHardLink, putLink, putOdd, putSparse } from '../ground.ts';
import type { Plant } from '../ground.ts';
import { makeDeep } from './home.ts';

/** Names that file systems take and people do not expect. */
const NAMES = [
  'control\u0001\u001b[31m.md',
  'line\nbreak.md',
  'tab\tname.md',
  'bidi-\u202egnp.md',
  'zero\u200bwidth.md',
  `${'l'.repeat(252)}.md`,
  `${'ü'.repeat(125)}.md`,
  'back\\slash.md',
  'quote".md',
  "apostrophe'.md",
  '$(touch executed).md',
  '`id`.md',
  '; rm -rf x.md',
  '-rf.md',
  '--help.md',
  '%2e%2e%2fx.md',
  '[[link]].md',
  'a#b^c|d.md',
  'con.md',
  'nul.md',
  'trailing .md',
  'trailing..md',
  ' .md',
  '.md',
  '..md',
  '...md',
  '__proto__.md',
  'constructor.md',
  'toString.md',
  'Kept.md',
  'ΣΊΣΥΦΟΣ.md',
  'σίσυφος.md',
  'İstanbul.md',
  'é.md',
  'e\u0301.md',
  'plain.MD',
  'x.md.md',
  'note.sync-conflict-20260101-000000.md',
  'note.sync-conflict-20260101-000000-AAAA.md',
  '4913.md',
  '~.md',
  '~x.md',
  '#x#.md',
  'sedABCDEF',
  '\u{1F600}.md',
  '\ufeff.md',
  '👩‍👩‍👧‍👧.md',
];

/** Files and folders of the vault as a file system can have them. */
export const filePlants: readonly Plant[] = [
  {
    name: 'files: names',
    plant: (ground) => {
      const { random } = ground;
      const folder = random.pick(['', 'target/', 'names/', 'projects/greenhouse/', 'memory/']);
      const put = NAMES.filter(() => random.chance(0.4));
      for (const name of put) {
        if (random.chance(0.85))
          putFile(
            ground,
            `${folder}${name}`,
            random.pick(['', 'x\n', '---\nid: same\n---\n[[target/plain]]\n', `[[${name.slice(0, -3)}]] #t\n`]),
          );
        else putFolder(ground, `${folder}${name}`);
      }
      return `${put.length} in ${folder === '' ? 'the root' : folder}`;
    },
  },
  {
    name: 'files: names that are no UTF-8',
    plant: (ground) => {
      putFile(ground, 'bytes/x.md', '');
      for (const bytes of [[0xff, 0xfe], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0x80]]) {
        const name = Buffer.concat([Buffer.from(`${ground.vault}/bytes/`), Buffer.from(bytes), Buffer.from('.md')]);
        writeFileSync(name, 'x [[target/plain]]\n');
      }
      mkdirSync(Buffer.concat([Buffer.from(`${ground.vault}/bytes/`), Buffer.from([0xff])]));
    },
  },
  {
    name: 'files: notes that are none',
    plant: (ground) =>
      Array.from({ length: 1 + ground.random.below(5) }, (_, at) => {
        const { random } = ground;
        const folder = random.pick(['', 'target/', 'projects/greenhouse/', 'memory/', 'odd/']);
        return putOdd(ground, `${folder}odd-${at}.${random.pick(['md', 'md', 'md', 'canvas', 'png', 'base', 'txt'])}`);
      }).join(', '),
  },
  {
    name: 'files: known names that are none',
    plant: (ground) =>
      putOdd(
        ground,
        ground.random.pick([
          'ontology.md',
          'projects',
          'memory',
          'projects/greenhouse',
          'ada.md',
          'README.md',
          'AGENTS.md',
          'target/plain.md',
        ]),
      ),
  },
  {
    name: 'files: links of all kinds',
    plant: (ground) => {
      const { outside } = ground;
      putLink(ground, 'out-note.md', join(outside, 'private.md'));
      putLink(ground, 'out-relative.md', '../outside/private.md');
      putLink(ground, 'out-folder', join(outside, 'folder'));
      putLink(ground, 'out-all', '../outside');
      putLink(ground, 'target/out.png', join(outside, 'private.md'));
      putLink(ground, 'target/out.canvas', join(outside, 'private.canvas'));
      putLink(ground, 'in-note.md', 'target/plain.md');
      putLink(ground, 'in-folder', 'target');
      putLink(ground, 'in-home.md', '.roux/history/x.md');
      putLink(ground, 'in-git.md', '.git/config');
      putLink(ground, 'root', '/');
      putLink(ground, 'here', '.');
      putLink(ground, 'up', '..');
      putLink(ground, 'loop-a.md', 'loop-b.md');
      putLink(ground, 'loop-b.md', 'loop-a.md');
      putLink(ground, 'chain-1.md', 'chain-2.md');
      putLink(ground, 'chain-2.md', join(outside, 'private.md'));
      putLink(ground, 'proc.md', '/proc/self/environ');
      putLink(ground, 'proc-root.md', '/proc/self/root/etc/passwd');
      putLink(ground, 'proc-cwd', '/proc/self/cwd');
      putLink(ground, 'memory/out.md', join(outside, 'private.md'));
      putFile(
        ground,
        'links-to-links.md',
        '![[out-note]] [[out-folder/a]] ![[target/out.png]] [[in-note]] ![[up/outside/private]] [[root/etc/passwd]]\n',
      );
    },
  },
  {
    name: 'files: hard links to files outside',
    plant: (ground) => {
      putHardLink(ground, 'hard.md', 'linked.md');
      putHardLink(ground, 'target/hard-too.md', 'linked.md');
      putFile(ground, 'target/to-hard.md', '[[hard]]\n');
    },
  },
  {
    name: 'files: folders in folders',
    plant: (ground) => {
      const depth = Math.min(250 * ground.scale, 1_800);
      putFolder(ground, 'nest');
      makeDeep(join(ground.vault, 'nest'), depth);
      return `${depth} deep`;
    },
  },
  {
    name: 'files: folders that look at themselves',
    plant: (ground) => {
      putFile(ground, 'circle/a/b/x.md', '[[y]]\n');
      putLink(ground, 'circle/a/b/c', '../../..');
      putLink(ground, 'circle/a/self', '.');
      putLink(ground, 'circle/a/b/abs', join(ground.vault, 'circle'));
      putFolder(ground, 'circle/note.md');
      putFile(ground, 'circle/note.md/note.md', 'x\n');
    },
  },
  {
    name: 'files: without rights',
    plant: (ground) => {
      putFile(ground, 'locked/x.md', 'x\n');
      putFile(ground, 'locked-note.md', '[[target/plain]]\n');
      putFile(ground, 'read-only.md', '[[target/plain]]\n');
      lockAway(ground, 'locked');
      lockAway(ground, 'locked-note.md');
      chmodSync(join(ground.vault, 'read-only.md'), 0o444);
    },
  },
  {
    name: 'files: a folder that nobody may write to',
    plant: (ground) => chmodSync(ground.vault, 0o555),
  },
  {
    name: 'files: huge',
    isCostly: true,
    plant: (ground) => {
      const { random } = ground;
      const size = random.pick([11 * 2 ** 20, 300 * 2 ** 20, 3 * 2 ** 30, 6 * 2 ** 30]);
      const path = random.pick(['huge.md', 'target/huge.canvas', 'huge.png', 'projects/greenhouse/huge.md', 'memory/huge.md']);
      putSparse(ground, path, size, '---\nid: huge\n---\n[[target/plain]]\n');
      return `${path}, ${size} bytes`;
    },
  },
  {
    name: 'files: very many',
    isCostly: true,
    plant: (ground) => {
      const count = 1_000 * ground.scale;
      const place = ground.random.pick(['many', 'many/[[x]]', 'target']);
      for (let at = 0; at < count; at++) putFile(ground, `${place}/${at}.${at % 4 === 0 ? 'png' : 'md'}`, '[[target/plain]] #many\n');
      for (let at = 0; at < count / 4; at++) symlinkSync('../target/plain.md', join(ground.vault, place, `link-${at}.md`));
      return `${count} in ${place}`;
    },
  },
  {
    name: 'files: canvases',
    plant: (ground) => {
      const { random, outside } = ground;
      const file = random.pick([
        '../outside/private.md',
        join(outside, 'private.md'),
        'target/plain.md',
        'out-note.md',
        '__proto__',
        'x\u0000.md',
      ]);
      const text = random.pick([
        () =>
          JSON.stringify({
            nodes: [
              { id: 'a', type: 'file', file, x: 0 },
              { id: 'b', type: 'text', text: '[[target/plain]] ![[../outside/private]]' },
            ],
            edges: [],
          }),
        () => JSON.stringify({ nodes: { length: 1e9 }, edges: 3 }),
        () => JSON.stringify({ nodes: [null, 3, [], { type: 'file' }, { type: 'file', file: {} }, { type: 'text', text: 3 }] }),
        () => `{"nodes":[${'{"type":"file","file":"target/plain.md"},'.repeat(20_000)}null]}`,
        () => `${'{"nodes":['.repeat(10_000)}`,
        () => `{"nodes":[{"type":"file","file":"target/plain.md","file":"kept/one.md"}]}`,
        () => '\u0000',
        () => '',
      ])();
      putFile(ground, 'target/board.canvas', text);
      putFifo(ground, 'target/pipe.canvas');
      putFile(ground, 'target/board.base', text);
      return JSON.stringify(text.slice(0, 80));
    },
  },
];

/** Paths of links that lead out, so that the run names them. */
export const LINK_NAMES = [
  'out-note',
  'out-note.md',
  'out-relative',
  'out-folder/a',
  'out-all/private.md',
  'in-note',
  'loop-a',
  'chain-1',
  'proc',
  'proc-root',
  'hard',
  'root/etc/passwd',
  'up/outside/private.md',
  'circle/note.md',
  'huge',
];

/** Names of files, so that the run asks for them. */
export const ODD_NAMES: readonly string[] = NAMES;
