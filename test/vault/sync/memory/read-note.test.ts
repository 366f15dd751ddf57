import { describe, expect, it } from 'vitest';
import { hashOf, MAX_FILE_BYTES } from '../../../../src/store/folder/hash.ts';
import type { CacheFiles } from '../../../../src/store/records/cache-files.ts';
import type { NotePath } from '../../../../src/note/path.ts';
import { loadHeldNotes, saveHeldNote, whyHeld } from '../../../../src/vault/sync/held-notes.ts';
import { noteOf, readBytes } from '../../../../src/vault/sync/read-note.ts';
import { glanceAtNote, readInChunks, readNoteNow, toNoteOnDisk } from '../../../../src/vault/sync/read-note-now.ts';
import { memoryFolder } from './memory-folder.ts';
import { openMemorySync } from './memory-sync.ts';

const MEGABYTE = 1024 * 1024;
const path = 'a.md' as NotePath;

describe('a note from its bytes', () => {
  const state = { ino: 1n, mtimeNs: 9_000_000_000n, birthNs: 5_000_000_000n };

  it('has its times in milliseconds, and the older of both as that of its creation', () => {
    const bytes = Buffer.from('---\nrev: 7\n---\nText');
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state })).toMatchObject({
      hash: 'h',
      isPartial: false,
      rev: 7,
      createdMs: 5_000,
      modifiedMs: 9_000,
    });
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state: { ...state, birthNs: 0n } })).toMatchObject({ createdMs: 9_000 });
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state: { ...state, birthNs: 1_000_000n } })).toMatchObject({ createdMs: 1 });
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state: { ...state, birthNs: 10_000_000_000n } })).toMatchObject({ createdMs: 9_000 });
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state: { ...state, size: bytes.length } }).isPartial).toBe(false);
    expect(toNoteOnDisk(path, { bytes, hash: 'h', state: { ...state, size: bytes.length + 1 } }).isPartial).toBe(true);
    expect(toNoteOnDisk(path, { bytes: Buffer.from('Text'), hash: 'h', state }).rev).toBe(null);
    const large = Buffer.alloc(MEGABYTE + 1, 'x');
    expect(toNoteOnDisk(path, { bytes: large, hash: 'h', state }).note.text.length).toBe(MEGABYTE + 1);
  });

  it('of up to a megabyte is indexed whole, of a larger one the first megabyte, and that is said', () => {
    const just = Buffer.alloc(MEGABYTE, 'x');
    const more = Buffer.alloc(MEGABYTE + 1, 'x');
    const messages = (bytes: Buffer, how: { forIndex: boolean; size?: number }): readonly string[] =>
      noteOf(path, bytes, how).problems.map(({ message }) => message);
    const isCut = 'Only the first megabyte of this note is indexed.';
    expect(noteOf(path, just, { forIndex: true }).text.length).toBe(MEGABYTE);
    expect(noteOf(path, more, { forIndex: true }).text).toBe('x'.repeat(MEGABYTE));
    expect(noteOf(path, more, { forIndex: false }).text.length).toBe(MEGABYTE + 1);
    // The beginning of a longer file ends with a whole character.
    const beginning = Buffer.concat([Buffer.alloc(MEGABYTE - 1, 'x'), Buffer.from('é', 'utf8')]);
    expect(noteOf(path, beginning, { forIndex: false, size: MAX_FILE_BYTES }).text).toBe('x'.repeat(MEGABYTE - 1));
    const few = Buffer.from('x');
    expect(messages(few, { forIndex: true, size: MEGABYTE })).toEqual([]);
    expect(messages(few, { forIndex: true, size: MEGABYTE + 1 })).toEqual([isCut]);
    expect(messages(few, { forIndex: true, size: MAX_FILE_BYTES })).toEqual([isCut]);
    expect(messages(few, { forIndex: true, size: MAX_FILE_BYTES + 1 })).toEqual([expect.stringContaining('is larger than 10 MB')]);
    expect(noteOf(path, Buffer.from([0xff]), { forIndex: true }).problems.length).toBe(1);
  });

  it('is told from a file that is gone, torn or cannot be read', () => {
    const files = memoryFolder({ 'a.md': 'A' });
    expect(readBytes(files, 'a.md')).toMatchObject({ kind: 'bytes', bytes: Buffer.from('A'), hash: hashOf('A') });
    expect(readBytes(files, 'never.md')).toEqual({ kind: 'gone' });
    files.save('a.md', 'A', { size: 2 });
    expect(readBytes(files, 'a.md')).toEqual({ kind: 'torn' });
    files.save('a.md', 'A', { size: MAX_FILE_BYTES + 1 });
    expect(readBytes(files, 'a.md')).toMatchObject({ kind: 'bytes', bytes: Buffer.from('A') });
    expect(files.calls.slice(-2)).toEqual(['read a.md', 'read a.md']);
    files.failing = () => new Error('EACCES');
    expect(readBytes(files, 'a.md')).toEqual({ kind: 'unreadable', reason: 'EACCES' });
    const vanishing = memoryFolder();
    vanishing.save('a.md', 'A', { size: MAX_FILE_BYTES + 1 });
    vanishing.failing = () => {
      if (vanishing.calls.length > 1) vanishing.remove('a.md');
      return null;
    };
    expect(readBytes(vanishing, 'a.md')).toEqual({ kind: 'gone' });
  });
});

describe('a note as it is now', () => {
  it('is read, and the graph is brought up to date where it is another', async () => {
    const { files, sync, graph, ...memory } = await openMemorySync({ 'a.md': '#one', 'b.md': '' });
    expect(await readNoteNow({ files, sync, path: 'a.md' })).toMatchObject({ hash: hashOf('#one') });
    expect(memory.told.changed).toEqual([]);
    files.save('a.md', '#changed');
    expect((await readNoteNow({ files, sync, path: 'a.md' }))?.note.text).toBe('#changed');
    expect(graph.get('a.md')?.tags).toEqual(['changed']);
    files.remove('a.md');
    expect(await readNoteNow({ files, sync, path: 'a.md' })).toBe(null);
    expect(graph.get('a.md')).toBe(null);
    memory.told.changed.length = 0;
    files.calls.length = 0;
    expect(await readNoteNow({ files, sync, path: 'never.md' })).toBe(null);
    expect(await readNoteNow({ files, sync, path: 'a.png' })).toBe(null);
    expect(files.calls.some((call) => call.includes('a.png'))).toBe(false);
    // Nothing is looked for where nothing was.
    expect(await readNoteNow({ files, sync, path: 'x/never.md' })).toBe(null);
    expect(sync.hasMarks).toBe(false);
  });

  it('that is gone is waited for where it was known: some programs save by deleting and creating', async () => {
    const { files, sync } = await openMemorySync({ 'a.md': '#one' });
    const node = files.nodes.get('a.md')!;
    files.remove('a.md');
    const found = readNoteNow({ files, sync, path: 'a.md' });
    const never = readNoteNow({ files, sync, path: 'b.md' });
    for (const path of ['a.md', 'b.md']) files.nodes.set(path, node);
    expect((await found)?.note.text).toBe('#one');
    expect(await never).toBe(null);
  });

  it('that is a link is read where it leads', async () => {
    const { files, sync } = await openMemorySync({ 'a.md': '#a' });
    files.set('link.md', { kind: 'link', leadsTo: { kind: 'inside', path: 'a.md' } });
    expect((await readNoteNow({ files, sync, path: 'link.md' }))?.note.text).toBe('#a');
  });

  it('that is not too large any more is read whole', async () => {
    const files = memoryFolder();
    files.save('a.md', '#large', { size: MAX_FILE_BYTES + 1 });
    const { sync } = await openMemorySync(files);
    files.failing = (call) => {
      if (call === 'read a.md') files.save('a.md', '#small');
      return null;
    };
    expect(await readNoteNow({ files, sync, path: 'a.md' })).toMatchObject({ isPartial: false, hash: hashOf('#small') });
  });

  it('that is young is taken at once where its bytes are known for sure', async () => {
    const memory = await openMemorySync({ 'a.md': '#one' });
    const { files, sync } = memory;
    const reads = async (): Promise<number> => {
      files.calls.length = 0;
      await readNoteNow({ files, sync, path: 'a.md' });
      return files.calls.filter((call) => call === 'read a.md').length;
    };
    files.save('a.md', '#two', { mtimeMs: files.time - 500 });
    sync.look(['a.md']);
    // Not racy: known.
    expect(await reads()).toBe(1);
    files.save('a.md', '#three', { mtimeMs: files.time });
    sync.look(['a.md']);
    expect(await reads()).toBeGreaterThan(1);
    sync.look(['a.md'], { isOwn: true });
    expect(await reads()).toBe(1);
  });

  it('that is too large to be written is its beginning', async () => {
    const files = memoryFolder();
    files.save('a.md', '#large', { size: MAX_FILE_BYTES + 1 });
    const { sync } = await openMemorySync(files);
    const found = await readNoteNow({ files, sync, path: 'a.md' });
    expect(found).toMatchObject({ isPartial: true, hash: sync.inventory.note('a.md')!.hash });
    expect(found?.note.text).toBe('#large');
    expect(glanceAtNote(files, 'a.md')).toMatchObject({ isPartial: true, hash: found!.hash });
  });

  it('that cannot be read is refused with the reason', async () => {
    const memory = await openMemorySync({ 'a.md': 'A' });
    const { files, sync } = memory;
    const fails = (code: string, call = 'read a.md'): void => {
      files.failing = (each) => (each === call ? Object.assign(new Error(`${code}: a.md`), { code }) : null);
    };
    fails('EACCES');
    await expect(readNoteNow({ files, sync, path: 'a.md' })).rejects.toMatchObject({
      code: 'IO_ERROR',
      message: expect.stringMatching(/^a\.md cannot be read: .*EACCES.*Check its permissions\.$/),
    });
    for (const code of ['ESTALE', 'EFBIG']) {
      fails(code);
      await expect(readNoteNow({ files, sync, path: 'a.md' })).rejects.toSatisfy((error: Error) => !error.message.includes('permissions'));
    }
    files.failing = null;
    files.set('link.md', { kind: 'link', leadsTo: { kind: 'outside' } });
    expect(await readNoteNow({ files, sync, path: 'link.md' })).toBe(null);
    files.save('a.md', 'A', { size: 2, mtimeMs: files.time });
    await expect(readNoteNow({ files, sync, path: 'a.md' })).rejects.toMatchObject({ code: 'IO_ERROR', retryable: true });
  });

  it('at a glance is what stands there, be it in the middle of a save', () => {
    const files = memoryFolder({ 'a.md': '#a', 'a.png': '' });
    files.set('link.md', { kind: 'link', leadsTo: { kind: 'inside', path: 'a.md' } });
    files.save('young.md', '', { mtimeMs: files.time });
    expect(glanceAtNote(files, 'a.md')).toMatchObject({ hash: hashOf('#a'), isPartial: false });
    expect(glanceAtNote(files, 'link.md')).toMatchObject({ hash: hashOf('#a') });
    expect(glanceAtNote(files, 'young.md')).toMatchObject({ hash: hashOf('') });
    expect(glanceAtNote(files, 'never.md')).toBe(null);
    expect(glanceAtNote(files, 'a.png')).toBe(null);
    files.failing = () => new Error('EACCES');
    expect(glanceAtNote(files, 'a.md')).toBe(null);
  });
});

describe('a note that is read in chunks', () => {
  const all = async (files: ReturnType<typeof memoryFolder>): Promise<readonly string[]> => {
    const chunks: string[] = [];
    for await (const chunk of readInChunks(files, 'a.md')) chunks.push(chunk);
    return chunks;
  };

  it('comes whole, a megabyte at a time, with no character cut in two', async () => {
    const text = `\ufeff${'x'.repeat(MEGABYTE - 4)}é${'y'.repeat(MEGABYTE)}`;
    const files = memoryFolder({ 'a.md': text });
    const chunks = await all(files);
    expect(chunks.join('')).toBe(text);
    expect(files.calls.filter((call) => call === 'read a.md').length).toBe(3);
    expect(chunks[0]!.length).toBe(MEGABYTE - 3);
    // A file that ends in the middle of a character says so.
    const cut = memoryFolder({ 'a.md': 'x' });
    cut.read = () => ({ bytes: Buffer.from([0x78, 0xc3]), state: cut.stat('a.md')! });
    expect((await all(cut)).join('')).toBe('x\ufffd');
    const exact = memoryFolder({ 'a.md': 'x'.repeat(MEGABYTE) });
    await all(exact);
    expect(exact.calls.filter((call) => call === 'read a.md').length).toBe(1);
  });

  it('and is gone, or changes meanwhile, is refused', async () => {
    await expect(all(memoryFolder())).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' });
    for (const change of ['save', 'remove'] as const) {
      const files = memoryFolder({ 'a.md': 'x'.repeat(2 * MEGABYTE) });
      let chunks = 0;
      await expect(
        (async () => {
          for await (const _ of readInChunks(files, 'a.md')) {
            chunks += 1;
            files[change]('a.md', 'shorter');
          }
        })(),
      ).rejects.toMatchObject({ code: 'CONFLICT', retryable: true });
      expect(chunks).toBe(1);
    }
  });

  it('lets others work between the chunks', async () => {
    const files = memoryFolder({ 'a.md': 'x'.repeat(4 * MEGABYTE) });
    let turns = 0;
    const turn = (): void => void (turns++ < 1_000 && setImmediate(turn));
    turn();
    await all(files);
    expect(turns).toBeGreaterThan(3);
  });
});

describe('notes that held roux', () => {
  const cache = (): CacheFiles & { stored: Buffer | null } => {
    const own = {
      stored: null as Buffer | null,
      load: () => own.stored,
      save: async (_: string, blocks: readonly Uint8Array[]) => void (own.stored = Buffer.concat(blocks)),
    };
    return own as unknown as CacheFiles & { stored: Buffer | null };
  };
  const note = (number: number, more: object = {}) => ({ path: `${number}.md`, hash: `${number}`, seconds: 2, ...more });

  it('are remembered by the hash of their bytes, each path and each hash once', async () => {
    const files = cache();
    expect([...loadHeldNotes(files)]).toEqual([]);
    await saveHeldNote(files, note(1));
    await saveHeldNote(files, note(2));
    await saveHeldNote(files, note(1, { seconds: 3 }));
    expect([...loadHeldNotes(files)]).toEqual([
      ['2', note(2)],
      ['1', note(1, { seconds: 3 })],
    ]);
    await saveHeldNote(files, note(2, { hash: 'other' }));
    await saveHeldNote(files, note(1, { path: 'moved.md' }));
    expect([...loadHeldNotes(files).values()]).toEqual([note(2, { hash: 'other' }), note(1, { path: 'moved.md' })]);
  });

  it('are a hundred at most, the last ones', async () => {
    const files = cache();
    files.stored = Buffer.from(JSON.stringify(Array.from({ length: 100 }, (_, index) => note(index))));
    expect(loadHeldNotes(files).size).toBe(100);
    await saveHeldNote(files, note(100));
    expect([...loadHeldNotes(files).keys()].slice(0, 1)).toEqual(['1']);
    expect(loadHeldNotes(files).size).toBe(100);
  });

  it('are those that are well formed', () => {
    const files = cache();
    for (const text of [
      '{',
      '{}',
      'null',
      '"x"',
      JSON.stringify([null, 1, { path: 1, hash: 'a', seconds: 2 }, { path: 'a', hash: 2, seconds: 2 }, { path: 'a', hash: 'a' }]),
    ]) {
      files.stored = Buffer.from(text);
      expect([...loadHeldNotes(files)]).toEqual([]);
    }
    files.stored = Buffer.from(JSON.stringify([null, note(1)]));
    expect([...loadHeldNotes(files).keys()]).toEqual(['1']);
  });

  it('are named with what to do', () => expect(whyHeld(note(1))).toContain('skipped until it changes; edit it, or delete'));
});
