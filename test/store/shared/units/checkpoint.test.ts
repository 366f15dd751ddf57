import { describe, expect, it } from 'vitest';
import { compareFolder } from '../../../../src/store/shared/setup/compare-folder.ts';
import { isAllowedPath, listInventory } from '../../../../src/store/shared/setup/inventory.ts';
import { checkFollows, trackFolderIdentity } from '../../../../src/store/shared/checkpoint/folder-identity.ts';
import {
  clearCheckpoint,
  belongsToCopy,
  readCheckpoint,
  CHECKPOINT_PATH,
  writeCheckpoint,
} from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import type { Checkpoint } from '../../../../src/store/shared/checkpoint/checkpoint.ts';
import { CurrentCheckpoint } from '../../../../src/store/shared/checkpoint/current-checkpoint.ts';
import { batchAt, listCommitsBetween, resolveCheckpoint } from '../../../../src/store/shared/checkpoint/resolve-checkpoint.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { memoryFolder } from '../../../vault/sync/memory/memory-folder.ts';

const mark = (more: Partial<Checkpoint> = {}): Checkpoint => ({
  vault: 'v',
  seq: 7,
  batch: 'b7',
  pushing: null,
  copy: 'me',
  unplaced: [],
  moved: [],
  ...more,
});
const change = { op: 'create' as const, path: 'a', oldPath: null, before: null, hash: 'A', size: 1 };

describe('the mark of where a folder stands', () => {
  it('is its last whole line', async () => {
    const { files } = simulatedDisk({ '.roux/x': '' });
    expect(readCheckpoint(files)).toBe(null);
    const marks = [mark(), mark({ seq: 8, batch: null, pushing: 'p' }), mark({ unplaced: [change], moved: [{ from: 'a', to: 'b' }] })];
    for (const each of marks) {
      await writeCheckpoint(files, each);
      expect(readCheckpoint(files)).toEqual(each);
    }
    expect(files.read(CHECKPOINT_PATH)!.bytes.toString().split(/\n+/).length).toBe(4);
    const { moved: _, ...told } = mark();
    await writeCheckpoint(files, told);
    expect(files.read(CHECKPOINT_PATH)!.bytes.toString().trim().split('\n').at(-1)).toBe(
      '{"format":1,"vault":"v","seq":7,"batch":"b7","pushing":null,"copy":"me"}',
    );
    const torn = files.append(CHECKPOINT_PATH);
    torn.write(Buffer.from('{"format":1,"vault":"torn","seq":9,"batch":null,"pushing":null}'));
    torn.close();
    expect(readCheckpoint(files)?.vault).toBe('v');
    // What is noted next does not become a part of it.
    await writeCheckpoint(files, mark({ seq: 10 }));
    expect(readCheckpoint(files)).toEqual(mark({ seq: 10 }));
    const broken = files.append(CHECKPOINT_PATH);
    broken.write(Buffer.from('{"format":1,"vault":"torn","seq":9,"batch":null,"pushing":null}\n{"format":2}\nnot JSON\n'));
    broken.close();
    expect(readCheckpoint(files)).toMatchObject({ vault: 'torn', copy: '', unplaced: [], moved: [] });
    clearCheckpoint(files);
    clearCheckpoint(files);
    expect(readCheckpoint(files)).toBe(null);
  });

  it('is written anew when its file is large', async () => {
    const disk = simulatedDisk({});
    const { files } = disk;
    files.makeFolder('.roux');
    const line = `${JSON.stringify({ format: 1, vault: 'v', seq: 7, batch: 'b7', pushing: null, copy: 'me' })}\n`;
    const fill = (size: number): void => {
      const file = files.append(CHECKPOINT_PATH);
      file.write(Buffer.alloc(size, 'x'));
      file.close();
    };
    fill(64 * 1024 - line.length - 1);
    await writeCheckpoint(files, mark());
    expect(files.stat(CHECKPOINT_PATH)?.size).toBe(64 * 1024);
    await writeCheckpoint(files, mark());
    expect(files.stat(CHECKPOINT_PATH)?.size).toBe(line.length);
    expect(files.stat(`${CHECKPOINT_PATH}.part`)).toBe(null);
    expect(readCheckpoint(files)).toEqual(mark());
    // One that was killed in the middle of it has left the beginning of the new one.
    fill(64 * 1024);
    disk.save(`${CHECKPOINT_PATH}.part`, 'torn');
    await writeCheckpoint(files, mark());
    expect([files.stat(`${CHECKPOINT_PATH}.part`), readCheckpoint(files)]).toEqual([null, mark()]);
  });

  it('is of the copy that noted it, or of any where either has no id', () => {
    const me = { vault: 'v', copy: 'me' };
    expect(belongsToCopy(mark(), me)).toBe(true);
    expect(belongsToCopy(mark({ copy: 'other' }), me)).toBe(false);
    expect(belongsToCopy(mark({ copy: '' }), me)).toBe(true);
    expect(belongsToCopy(mark(), { ...me, copy: '' })).toBe(true);
    expect(belongsToCopy(mark(), { ...me, vault: 'w' })).toBe(false);
  });
});

describe('the mark that a process keeps', () => {
  const shared = { id: 'v', followers: { reportCheckpoint: (seq: number) => void told.push(seq) } } as never;
  const told: number[] = [];
  const scene = () => {
    const disk = simulatedDisk({ '.roux/x': '' });
    const pending = { unplaced: [change], moved: [{ from: 'a', to: 'b' }] };
    told.length = 0;
    return {
      disk,
      current: new CurrentCheckpoint(disk.files, 'me', () => pending),
      other: new CurrentCheckpoint(disk.files, 'me', () => pending),
    };
  };

  it('is saved with what is pending, once it is known, and told to the store', async () => {
    const { disk, current } = scene();
    await current.save({ id: 'v' });
    expect(readCheckpoint(disk.files)).toBe(null);
    await current.advance(shared, 7, 'b7');
    expect([readCheckpoint(disk.files), told]).toEqual([mark({ unplaced: [change], moved: [{ from: 'a', to: 'b' }] }), [7]]);
    await current.save({ id: 'v' }, 'p');
    expect(readCheckpoint(disk.files)).toMatchObject({ seq: 7, batch: 'b7', pushing: 'p' });
    expect(told).toEqual([7]);
  });

  it('is not made anew where somebody took it away', async () => {
    const { disk, current } = scene();
    await current.advance(shared, 7, 'b7');
    disk.remove(CHECKPOINT_PATH);
    await expect(current.save({ id: 'v' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(current.readOthers({ id: 'v' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(readCheckpoint(disk.files)).toBe(null);
  });

  it('of another process is read once, and its own is not', async () => {
    const { disk, current, other } = scene();
    await other.advance(shared, 9, 'b9');
    // It does not count before the folder was compared with the store.
    expect(await current.readOthers({ id: 'v' })).toBe(null);
    await current.advance(shared, 7, 'b7');
    const reads = () => disk.calls.filter(({ method, path }) => method === 'read' && path === CHECKPOINT_PATH).length;
    const before = reads();
    expect([await current.readOthers({ id: 'v' }), reads() - before]).toEqual([null, 0]);
    await other.advance(shared, 10, 'b10');
    expect([await current.readOthers({ id: 'v' }), reads() - before]).toMatchObject([{ seq: 10, batch: 'b10' }, 1]);
    expect([await current.readOthers({ id: 'v' }), reads() - before]).toEqual([null, 1]);
  });

  it('is written again over that of another copy, which is no matter for these files', async () => {
    const { disk, current } = scene();
    await current.advance(shared, 7, 'b7');
    await writeCheckpoint(disk.files, mark({ copy: 'other', seq: 99 }));
    expect(await current.readOthers({ id: 'v' })).toBe(null);
    expect(readCheckpoint(disk.files)).toMatchObject({ copy: 'me', seq: 7 });
    await writeCheckpoint(disk.files, mark({ vault: 'w' }));
    await expect(current.readOthers({ id: 'v' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});

describe('the folder of a working copy', () => {
  it('is the same by its number, device and birth; in place of another it has to bear a mark of the vault', () => {
    const files = memoryFolder();
    const line = (vault: string) => `${JSON.stringify({ format: 1, vault, seq: 1, batch: null, pushing: null })}\n`;
    files.save(CHECKPOINT_PATH, line('v'));
    const place = trackFolderIdentity(files);
    expect(place.isReplaced).toBe(false);
    place.check();
    expect(place.remember('v')?.vault).toBe('v');
    expect(place.isReplaced).toBe(false);
    place.check();
    const root = files.nodes.get('')!;
    for (const other of [{ ino: 99n }, { dev: 9n }, { birthMs: 9 }]) {
      files.nodes.set('', { ...root, ...other });
      expect(place.isReplaced).toBe(true);
      expect(() => place.check()).toThrow('The folder of the vault is gone, or was replaced by another one');
      files.save(CHECKPOINT_PATH, line('w'));
      expect(() => place.remember('v')).toThrow('The folder of this working copy was replaced by one that does not follow its vault');
      expect(place.isReplaced).toBe(true);
      files.save(CHECKPOINT_PATH, line('v'));
      expect(place.remember('v')?.vault).toBe('v');
      expect(place.isReplaced).toBe(false);
    }
    files.nodes.delete('');
    expect(place.isReplaced).toBe(false);
    let thrown: unknown = null;
    try {
      place.check();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'VAULT_NOT_FOUND', retryable: true });
    expect(() => checkFollows(null, 'v')).toThrow('does not follow its vault');
    expect(() => checkFollows({ vault: 'v' }, 'v')).not.toThrow();
  });
});

describe('the commit at which a folder stands', () => {
  const storeOf = (count: number, { first = 1, head = count } = {}) => {
    const asked: number[] = [];
    const commits = Array.from({ length: count }, (_, index) => ({ seq: index + 1, batch: `b${index + 1}`, changes: [] })).filter(
      ({ seq }) => seq >= first,
    );
    const shared = {
      id: 'v',
      feed: {
        head: async () => head,
        async commitsAfter(seq: number, limit = 100) {
          asked.push(seq);
          return seq < first - 1 ? null : commits.filter((commit) => commit.seq > seq).slice(0, limit);
        },
      },
    };
    return { asked, shared: shared as never };
  };

  it('is the one that it noted, in the store that it followed', async () => {
    const { shared } = storeOf(9);
    expect(await resolveCheckpoint(shared, mark())).toEqual({ seq: 7, batch: 'b7' });
    expect(await resolveCheckpoint(shared, mark({ batch: null }))).toEqual({ seq: 7, batch: null });
    expect(await resolveCheckpoint(shared, mark({ seq: 0, batch: null }))).toEqual({ seq: 0, batch: null });
    expect(await resolveCheckpoint(shared, null)).toBe(null);
    expect(await resolveCheckpoint(shared, mark({ vault: 'w' }))).toBe(null);
    expect(await resolveCheckpoint(shared, mark({ batch: 'other' }))).toBe(null);
    expect(await resolveCheckpoint(shared, mark({ seq: 10, batch: null }))).toBe(null);
    expect(await resolveCheckpoint(shared, mark({ seq: 9, batch: 'b9' }))).toEqual({ seq: 9, batch: 'b9' });
    // That commit is not kept any more: it may be.
    expect(await resolveCheckpoint(storeOf(20, { first: 15 }).shared, mark())).toEqual({ seq: 7, batch: 'b7' });
  });

  it('is one that was about to be made, if it was', async () => {
    const { shared, asked } = storeOf(500);
    expect(await resolveCheckpoint(shared, mark({ pushing: 'b450' }))).toMatchObject({ seq: 450, batch: 'b450' });
    expect(asked).toEqual([6, 7, 207, 407]);
    const { shared: quiet, asked: askedOnce } = storeOf(9);
    await resolveCheckpoint(quiet, mark());
    expect(askedOnce).toEqual([6]);
    expect(await resolveCheckpoint(shared, mark({ pushing: 'never' }))).toEqual({ seq: 7, batch: 'b7' });
    expect(asked.slice(4)).toEqual([6, 7, 207, 407]);
    expect(await resolveCheckpoint(storeOf(207).shared, mark({ pushing: 'never' }))).toEqual({ seq: 7, batch: 'b7' });
    expect(await resolveCheckpoint(storeOf(20, { first: 15 }).shared, mark({ pushing: 'b16' }))).toEqual({ seq: 7, batch: 'b7' });
  });

  it('has those after it, as far as they are retained', async () => {
    const { shared } = storeOf(500);
    const seqs = (await listCommitsBetween(shared, 7, 450))!.map(({ seq }) => seq);
    expect([seqs.length, seqs[0], seqs.at(-1)]).toEqual([443, 8, 450]);
    expect(await listCommitsBetween(shared, 7, 7)).toEqual([]);
    expect(await listCommitsBetween(shared, 490, 501)).toBe(null);
    expect(await listCommitsBetween(storeOf(20, { first: 15 }).shared, 7, 16)).toBe(null);
    expect(await batchAt(shared, 0)).toBe(null);
    expect(await batchAt(shared, 1)).toBe('b1');
    expect(await batchAt(shared, 501)).toBe(null);
    expect(await batchAt(storeOf(20, { first: 15 }).shared, 3)).toBe(null);
  });
});

describe('a folder held against its store', () => {
  const texts = {
    same: 'same',
    waits: 'waits, edited',
    comes: 'comes',
    both: 'both, edited',
    new: 'new',
    twice: 'made here',
    'no/in': '',
    '.roux/x': '',
  };
  const scene = () => {
    const files = memoryFolder(texts);
    files.failing = (call) => (call === 'list no' ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : null);
    const listed = Object.entries({
      same: 'same',
      waits: 'waits',
      comes: 'comes, edited',
      both: 'both, too',
      missing: 'm',
      arrives: 'x',
      twice: 'made there',
      'no/in': 'y',
    });
    const base = new Map(
      Object.entries({ same: 'same', waits: 'waits', comes: 'comes', both: 'both', missing: 'm', 'no/in': 'y', left: 'l' }).map(
        ([path, text]) => [path, hashOf(text)],
      ),
    );
    const listing = async () => ({ seq: 9, files: listed.map(([path, text]) => ({ path, hash: hashOf(text), size: 1, seq: 1 })) });
    const shared = { id: 'v', feed: { listing, filesAt: async (seq: number) => (seq === 7 ? base : null) } };
    const compare = (copy = 'me') => {
      const progress: string[] = [];
      return compareFolder({ files, shared, copy, onProgress: (done, total) => progress.push(`${done}/${total}`) }).then((found) => ({
        ...found,
        progress,
      }));
    };
    return { files, compare };
  };

  it('names each file that differs, and how', async () => {
    const { files, compare } = scene();
    files.save(CHECKPOINT_PATH, `${JSON.stringify({ format: 1, ...mark() })}\n`);
    const { differences, progress, skipped: left, ...counts } = await compare();
    expect(Object.fromEntries(differences.map(({ path, kind }) => [path, kind]))).toEqual({
      waits: 'waits',
      comes: 'comes',
      both: 'both',
      new: 'waits',
      missing: 'missing',
      arrives: 'comes',
      twice: 'both',
    });
    expect(differences.map(({ path }) => path)).toEqual(differences.map(({ path }) => path).toSorted());
    expect(counts).toEqual({ seq: 7, storeSeq: 9, files: 8 });
    expect(progress).toEqual(['1/6', '2/6', '3/6', '4/6', '5/6', '6/6']);
    expect(left).toEqual([{ path: 'no', reason: 'this user may not look into it' }]);
    // What could not be put in place is what it was.
    files.save(
      CHECKPOINT_PATH,
      `${JSON.stringify({ format: 1, ...mark({ unplaced: [{ ...change, path: 'missing', hash: hashOf('m') }] }) })}\n`,
    );
    expect((await compare()).differences.find(({ path }) => path === 'missing')).toEqual({ path: 'missing', kind: 'blocked' });
  });

  it('names those that no vault may have, whatever is known of the folder', async () => {
    const bad = ['../outside/x.md', '.git/hooks/x', '.rouxrc.json', 'a.md.tmp'];
    const files = memoryFolder({ 'a.md.tmp': 'bad', 'con.md': 'con' });
    const hashes = [...bad, 'con.md', 'What?.md'].map((path) => ({ path, hash: hashOf('bad'), size: 3, seq: 1 }));
    const base = new Map([...hashes.map(({ path, hash }) => [path, hash] as const), ['.git/former', hashOf('bad')]]);
    const kinds = async (): Promise<unknown> => {
      const shared = { id: 'v', feed: { listing: async () => ({ seq: 7, files: hashes }), filesAt: async () => base } };
      const { differences } = await compareFolder({ files, shared, copy: 'me', onProgress: () => undefined });
      return Object.fromEntries(differences.map(({ path, kind }) => [path, kind]));
    };
    const unusable = Object.fromEntries(bad.map((path) => [path, 'unusable']));
    expect(await kinds()).toEqual({ ...unusable, 'con.md': 'both', 'What?.md': 'comes' });
    files.save(CHECKPOINT_PATH, `${JSON.stringify({ format: 1, ...mark() })}\n`);
    expect(await kinds()).toEqual({ ...unusable, 'con.md': 'waits', 'What?.md': 'missing' });
  });

  it('without a mark of its own knows less', async () => {
    const { files, compare } = scene();
    const expected = { waits: 'both', comes: 'both', both: 'both', new: 'waits', missing: 'comes', arrives: 'comes', twice: 'both' };
    const kinds = async (copy?: string) => {
      const { differences, seq } = await compare(copy);
      return { seq, ...Object.fromEntries(differences.map(({ path, kind }) => [path, kind])) };
    };
    expect(await kinds()).toEqual({ seq: null, ...expected });
    files.save(CHECKPOINT_PATH, `${JSON.stringify({ format: 1, ...mark() })}\n`);
    expect(await kinds('other')).toEqual({ seq: null, ...expected });
    files.save(CHECKPOINT_PATH, `${JSON.stringify({ format: 1, ...mark({ seq: 6 }) })}\n`);
    expect(await kinds()).toEqual({ seq: 6, ...expected });
  });

  it('has files that a store cannot have', () => {
    const files = memoryFolder({
      'a.md': '',
      'A.md': '',
      'b.png': '',
      '.hidden': '',
      'git~1/x.md': '',
      'half \ud800.md': '',
      'x/c': '',
      'no/d': '',
    });
    files.set('link.md', { kind: 'link' });
    files.failing = (call) => (call === 'list no' ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : null);
    const refused: string[] = [];
    const { paths, skipped: left } = listInventory(files, (folder) => refused.push(folder));
    expect(paths).toEqual(['A.md', 'b.png', 'x/c']);
    expect(left).toEqual([
      { path: 'a.md', reason: 'A.md differs only by case or Unicode form; rename one of them' },
      { path: 'git~1/x.md', reason: 'other machines cannot have a file of this name; rename it' },
      { path: 'half \ud800.md', reason: 'other machines cannot have a file of this name; rename it' },
    ]);
    expect(refused).toEqual(['no']);
    expect(() => listInventory(files)).toThrow('EACCES');
    expect(['a.md', 'x/.git/y', '.git', 'a~/../b', 'node_modules/a'].map(isAllowedPath)).toEqual([true, false, false, false, false]);
  });
});
