import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sample } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { makeVault, withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

interface Report {
  readonly counts: {
    readonly notes: number;
    readonly events: number;
    readonly foreign: number;
    readonly batches: number;
    readonly trash: number;
  };
  readonly faults: readonly { readonly kind: string; readonly path: string | null; readonly message: string; readonly remedy: string }[];
  readonly unchecked: readonly string[];
  readonly repaired: readonly string[] | null;
}

async function fsck(vault: Pick<TestVault, 'root'>, ...flags: string[]): Promise<Report & { readonly status: number | null }> {
  const { status, stdout, stderr } = await cli(['fsck', '--vault', vault.root, '--json', ...flags]);
  expect(stdout, stderr).toMatch(/^\{"counts"/);
  return { status, ...(JSON.parse(stdout) as Report) };
}

async function run(vault: Pick<TestVault, 'root'>, ...args: string[]): Promise<void> {
  const { status, stderr } = await cli([...args, '--vault', vault.root]);
  expect(status, stderr).toBe(0);
}

/** Every file and folder below, with its bytes and times; what roux would change by writing. */
function everything(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder)).toSorted()) {
      const path = join(folder, name);
      const state = lstatSync(join(root, path), { bigint: true });
      if (state.isDirectory()) walk(path);
      const bytes = state.isFile()
        ? createHash('sha256')
            .update(readFileSync(join(root, path)))
            .digest('hex')
        : '';
      found.set(path, `${bytes} ${state.mtimeNs} ${state.ctimeNs} ${state.ino}`);
    }
  };
  walk('.');
  found.set('.', String(lstatSync(root, { bigint: true }).mtimeNs));
  return found;
}

const BATCHES = '.roux/history/batches';
const notes = {
  'a.md': 'A, see [[b]]\n',
  'b.md': 'B\n',
  'd.md': 'D\n',
  'i.md': '---\nid: t_1\n---\nwith an id\n',
};

async function writeALot(vault: TestVault): Promise<void> {
  for (const line of ['one', 'two', 'three', 'four']) await run(vault, 'append', 'a', line);
  await run(vault, 'delete', 'd');
}

const segment = (vault: TestVault): string => `.roux/history/${vault.list('.roux/history').find((name) => name.endsWith('.jsonl')) ?? ''}`;
const lines = (vault: TestVault): string[] => vault.read(segment(vault)).split('\n').slice(0, -1);
const setLines = (vault: TestVault, all: readonly string[]): void => vault.write(segment(vault), all.map((line) => `${line}\n`).join(''));
const batch = (vault: TestVault, ending: string): string => `${BATCHES}/${vault.list(BATCHES).find((name) => name.endsWith(ending)) ?? ''}`;
const flip = (vault: TestVault, path: string, at: number): void => {
  const bytes = vault.readBytes(path);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = bytes[place]! ^ 1;
  vault.write(path, bytes);
};
const trashed = (vault: TestVault): string => {
  const id = vault.list('.roux/trash')[0] ?? '';
  return `.roux/trash/${id}/d.md`;
};
const ID = '01hzzzzzzzzzzzzzzzzzzzzzzz';

/** Ways to break a vault by hand, and what has to be said of each: where, and what. */
const breakages: readonly {
  readonly what: string;
  readonly breaks: (vault: TestVault) => void;
  readonly says: RegExp;
  readonly kind: string;
}[] = [
  {
    what: 'a torn last line',
    kind: 'history',
    says: /jsonl:6 is incomplete: the last 11 bytes/,
    breaks: (v) => v.write(segment(v), `${v.read(segment(v))}{"seq":6,"t`),
  },
  {
    what: 'a last line without its end',
    kind: 'history',
    says: /jsonl:5 is the last line and has no end/,
    breaks: (v) => v.write(segment(v), v.read(segment(v)).trimEnd()),
  },
  {
    what: 'another word in a line',
    kind: 'history',
    says: /jsonl:2 was altered .*event 2/,
    breaks: (v) =>
      setLines(
        v,
        lines(v).map((l, i) => (i === 1 ? l.replace('"updated"', '"created"') : l)),
      ),
  },
  {
    what: 'another word in the last line',
    kind: 'history',
    says: /jsonl:5 was altered/,
    breaks: (v) =>
      setLines(
        v,
        lines(v).map((l, i) => (i === 4 ? l.replace('"deleted"', '"updated"') : l)),
      ),
  },
  {
    what: 'a byte of a line',
    kind: 'history',
    says: /jsonl:3 (was altered|cannot be read)/,
    breaks: (v) => flip(v, segment(v), lines(v).slice(0, 2).join('\n').length + 9),
  },
  {
    what: 'a line taken out',
    kind: 'history',
    says: /jsonl:3 comes after event 3, which is missing/,
    breaks: (v) =>
      setLines(
        v,
        lines(v).filter((_, i) => i !== 2),
      ),
  },
  {
    what: 'a line put in',
    kind: 'history',
    says: /jsonl:4 follows line 2: what is between them was inserted/,
    breaks: (v) =>
      setLines(
        v,
        lines(v).flatMap((l, i) => (i === 2 ? [l.replace(/,"chain".*/, '}').replace('four', 'x'), l] : [l])),
      ),
  },
  {
    what: 'two lines that changed places',
    kind: 'history',
    says: /jsonl:2 /,
    breaks: (v) =>
      setLines(
        v,
        [0, 2, 1, 3, 4].map((i) => lines(v)[i]!),
      ),
  },
  {
    what: 'a line of something else',
    kind: 'history',
    says: /jsonl:3 cannot be read/,
    breaks: (v) =>
      setLines(
        v,
        lines(v).flatMap((l, i) => (i === 2 ? ['hello', l] : [l])),
      ),
  },
  {
    what: 'the last two lines cut off',
    kind: 'batches',
    says: /write to d\.md of which the history has no line/,
    breaks: (v) => setLines(v, lines(v).slice(0, 3)),
  },
  { what: 'the segment deleted', kind: 'batches', says: /of which the history has no line/, breaks: (v) => v.remove(segment(v)) },
  {
    what: 'a link for a segment',
    kind: 'history',
    says: /2020-01\.jsonl is a link/,
    breaks: (v) => symlinkSync('/dev/null', v.path('.roux/history/2020-01.jsonl')),
  },
  {
    what: 'packed lines that are none',
    kind: 'history',
    says: /2020-01\.jsonl:1 holds packed lines that cannot be unpacked/,
    breaks: (v) => v.write('.roux/history/2020-01.jsonl', '{"packed":"br","lines":3,"data":"AAAA"}\n'),
  },
  {
    what: 'a text for undo deleted',
    kind: 'batches',
    says: /is missing: the text of a\.md before the write/,
    breaks: (v) => v.remove(batch(v, '.0')),
  },
  {
    what: 'a text for undo altered',
    kind: 'batches',
    says: /is not what a\.md held before the write/,
    breaks: (v) => flip(v, batch(v, '.0'), 0),
  },
  {
    what: 'a batch truncated',
    kind: 'batches',
    says: /json is damaged: this write cannot be undone/,
    breaks: (v) => v.write(batch(v, '.json'), v.read(batch(v, '.json')).slice(0, 200)),
  },
  {
    what: 'a pack that is none',
    kind: 'batches',
    says: /pack is damaged: none of the writes in it can be undone/,
    breaks: (v) => v.write(`${BATCHES}/${ID}-${ID}.0123456789abcdef.pack`, 'x'),
  },
  {
    what: 'a deleted note gone from the trash',
    kind: 'trash',
    says: /d\.md is missing: d\.md was deleted and is not in the trash/,
    breaks: (v) => v.remove(trashed(v)),
  },
  {
    what: 'a deleted note altered in the trash',
    kind: 'trash',
    says: /d\.md is not what d\.md held when it was deleted/,
    breaks: (v) => flip(v, trashed(v), 0),
  },
  {
    what: 'a planted journal',
    kind: 'journal',
    says: /is a write that was not made in this folder|is damaged, or no file/,
    breaks: (v) => v.write(`.roux/journal/${ID}.json`, v.read(batch(v, '.json')).replace(/"code":"\w{8}/, '"code":"00000000')),
  },
  { what: 'a torn journal', kind: 'journal', says: /is damaged, or no file/, breaks: (v) => v.write(`.roux/journal/${ID}.json`, '{') },
  {
    what: 'files staged and never written',
    kind: 'journal',
    says: /is left of a write that was never begun/,
    breaks: (v) => v.write(`.roux/journal/${ID}.0`, 'x'),
  },
  { what: 'a note copied, so that ids collide', kind: 'duplicate-id', says: /t_1/, breaks: (v) => v.write('copy of i.md', v.read('i.md')) },
  {
    what: 'a torn line of keys',
    kind: 'history',
    says: /keys\/2020-01\.jsonl:1 is incomplete/,
    breaks: (v) => v.write('.roux/history/keys/2020-01.jsonl', '{"seq":1,'),
  },
];

describe('roux fsck', () => {
  let vault: TestVault & { dispose(): void };
  let whole: ReadonlyMap<string, Buffer>;

  beforeAll(async () => {
    vault = makeVault(notes);
    await writeALot(vault);
    whole = filesOf(vault.root);
  });
  afterAll(() => vault.dispose());

  /** Every file, to be put back: in this folder, as what undo needs is of no use in another. */
  function filesOf(root: string): ReadonlyMap<string, Buffer> {
    const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(names.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name))]));
  }

  function putBack(): void {
    for (const entry of readdirSync(vault.root, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isDirectory() && !whole.has(path)) rmSync(path);
    }
    for (const [path, bytes] of whole) {
      if (existsSync(path) && readFileSync(path).equals(bytes)) continue;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
  }

  it('H-21 says of a whole vault that it is whole, with status 0, and how much it looked at', async () => {
    expect(await fsck(vault)).toEqual({
      status: 0,
      counts: { notes: 3, events: 5, foreign: 0, batches: 5, trash: 1 },
      faults: [],
      unchecked: [],
      repaired: null,
    });
    const { status, stdout, stderr } = await cli(['fsck', vault.root]);
    expect([status, stdout]).toEqual([0, '']);
    expect(stderr).toContain('everything is intact. "roux doctor" checks what the notes say');
  });

  // Each waits for the second look that what was found gets.
  it.each(sample(breakages, 3))('H-21 names $what, where it is and what to do, with status 1', async ({ breaks, says, kind }) => {
    try {
      breaks(vault);
      const before = everything(vault.root);
      const { status, faults } = await fsck(vault);
      expect(everything(vault.root)).toEqual(before);
      expect(status).toBe(1);
      expect(faults.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
      const fault = faults.find(({ message }) => says.test(message));
      expect(fault?.kind).toBe(kind);
      expect(fault?.remedy).not.toBe('');
    } finally {
      putBack();
    }
  });

  it('H-21 --repair cuts a torn line off and clears what a crash left, and then all is whole', async () => {
    try {
      vault.write(segment(vault), `${vault.read(segment(vault))}{"seq":6,"t`);
      vault.write(`.roux/journal/${ID}.0`, 'x');
      const { status, repaired } = await fsck(vault, '--repair');
      expect([status, repaired]).toEqual([0, [expect.stringMatching(/last line .* was incomplete/)]]);
      expect(lines(vault)).toHaveLength(5);
    } finally {
      putBack();
    }
  });
});

it('H-21 writes not one byte without --repair, in a vault with and without a .roux', async () => {
  for (const isNew of [true, false]) {
    await withVault(notes, async (vault) => {
      if (!isNew) await writeALot(vault);
      const before = everything(vault.root);
      expect((await fsck(vault)).status).toBe(0);
      expect(everything(vault.root)).toEqual(before);
    });
  }
});

it('H-21 finds nothing while a server writes', () =>
  withVault(notes, (vault) =>
    withServer(vault, async ({ ask }) => {
      let isDone = false;
      const writing = (async () => {
        for (let count = 0; !isDone; count++) await ask('update_node', { id: 'a', append: `line ${count}` });
      })();
      const found = await fsck(vault).finally(() => (isDone = true));
      await writing;
      expect([found.faults, found.unchecked, found.status]).toEqual([[], [], 0]);
    }),
  ));

it.skipIf(process.getuid?.() === 0)('H-21 what may not be read is no finding: status 3', () =>
  withVault(notes, async (vault) => {
    await writeALot(vault);
    chmodSync(vault.path(segment(vault)), 0);
    const { status, unchecked } = await fsck(vault);
    expect([status, unchecked.join()]).toEqual([3, expect.stringContaining('.roux/history')]);
  }),
);
