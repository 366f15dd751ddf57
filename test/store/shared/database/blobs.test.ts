import { describe, expect, it } from 'vitest';
import {
  verifyBlobs,
  parseContent,
  groupBySize,
  insertBlobs,
  transferTimeoutMs,
  readBlob,
  readBlobs,
  uploadBlobs,
} from '../../../../src/store/shared/database/blobs.ts';
import type { BlobLimits } from '../../../../src/store/shared/database/blobs.ts';
import type { Connection } from '../../../../src/store/shared/database/session/connection.ts';
import { sha } from '../../../support/postgres/commits.ts';
import { scriptedConnection } from './scripted-session.ts';
import type { Question } from './scripted-session.ts';

const MB = 1024 * 1024;
const blobOf = (bytes: Buffer | string) => ({ hash: sha(bytes), bytes: Buffer.from(bytes) });
/** Bytes of which no piece is like another. */
const bytesOf = (size: number, first: number): Buffer => {
  const bytes = Buffer.alloc(size, first);
  for (let at = 0; at + 4 <= size; at += MB) bytes.writeUInt32LE(at, at);
  return bytes;
};

interface Held {
  readonly hash: string;
  readonly piece: number;
  readonly bytes: Buffer;
}

/** The contents of a store, answered as PostgreSQL would. */
function storeOf(pieces: readonly Held[]) {
  const held = [...pieces];
  const sizes: number[] = [];
  const connection = scriptedConnection(({ name, text, values }) => {
    const hashes = Array.isArray(values[1]) ? (values[1] as readonly Buffer[]).map((hash) => hash.toString('hex')) : [];
    const found = (hash: string): readonly Held[] => held.filter((each) => each.hash === hash);
    if (name === 'there') return hashes.flatMap((hash) => found(hash).filter(({ piece }) => piece === 0));
    if (text.includes('UPDATE roux.blob')) return hashes.flatMap((hash) => found(hash).filter(({ piece }) => piece === 0));
    if (name === 'pieces') {
      return hashes.flatMap(found).map(({ hash, piece, bytes }) => ({
        hash,
        piece,
        size: bytes.length,
        text: bytes.length <= (values[2] as number) ? bytes.toString('base64') : null,
      }));
    }
    if (name === 'bytes') {
      const numbers = values[2] as readonly number[];
      const rows = hashes.flatMap((hash, index) => found(hash).filter(({ piece }) => piece === numbers[index]));
      sizes.push(rows.reduce((sum, { bytes }) => sum + bytes.length, 0));
      return rows.map(({ hash, bytes }) => ({ hash, text: bytes.toString('base64') }));
    }
    return [];
  });
  const large: BlobLimits = { maxBytes: 100 * MB, queue: { last: Promise.resolve() } };
  const ask = <T>(question: (connection: Connection) => Promise<T>): Promise<T> => question(connection);
  const asked = (name: string): readonly Question[] => connection.asked.filter((each) => each.name === name);
  return { connection, large, ask, asked, sizes };
}

const heldOf = (bytes: Buffer | string, piece = 8 * MB): readonly Held[] => {
  const { hash, bytes: whole } = blobOf(bytes);
  const count = Math.max(1, Math.ceil(whole.length / piece));
  return Array.from({ length: count }, (_, at) => ({ hash, piece: at, bytes: whole.subarray(at * piece, (at + 1) * piece) }));
};

async function all<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe('groups that are sent at once', () => {
  const sizesOf = (...sizes: readonly number[]): readonly (readonly number[])[] =>
    [...groupBySize(sizes.map((size) => ({ size })))].map((group) => group.map(({ size }) => size));

  it('have at most four megabytes, or one that is larger', () => {
    expect(sizesOf()).toEqual([]);
    expect(sizesOf(0)).toEqual([[0]]);
    expect(sizesOf(MB, 3 * MB, 1)).toEqual([[MB, 3 * MB], [1]]);
    expect(sizesOf(5 * MB, 1, 4 * MB - 1, 1)).toEqual([[5 * MB], [1, 4 * MB - 1], [1]]);
    expect(sizesOf(3 * MB, 2 * MB, 2 * MB, 1)).toEqual([[3 * MB], [2 * MB, 2 * MB], [1]]);
  });

  it('have at most four hundred parts', () => {
    const groups = [...groupBySize(Array.from({ length: 801 }, () => ({ size: 1 })))];
    expect(groups.map(({ length }) => length)).toEqual([400, 400, 1]);
  });

  it('may take half a minute and a second for 64 KB', () => {
    expect([transferTimeoutMs(0), transferTimeoutMs(64 * 1024), transferTimeoutMs(MB)]).toEqual([30_000, 31_000, 46_000]);
  });
});

describe('contents', () => {
  it('are given where they are what their hash says', () => {
    const text = Buffer.from('text').toString('base64');
    expect(parseContent(sha('text'), text)).toEqual({ content: Buffer.from('text') });
    expect([parseContent(sha('other'), text), parseContent(null, text), parseContent(sha('text'), null)]).toEqual([{}, {}, {}]);
  });

  it('are put in in the order of their hashes, and never under another one', () => {
    const blobs = ['a', 'b', 'c', 'd', 'e'].map(blobOf);
    expect(verifyBlobs(blobs).map(({ hash }) => hash)).toEqual(blobs.map(({ hash }) => hash).toSorted());
    expect(() => verifyBlobs([...blobs, { hash: sha('x'), bytes: Buffer.from('y') }])).toThrow(sha('x'));
  });

  it('are put in in pieces of eight megabytes', async () => {
    const { connection } = storeOf([]);
    const [empty, exact, more] = [blobOf(''), blobOf(bytesOf(8 * MB, 1)), blobOf(bytesOf(16 * MB + 1, 2))];
    await insertBlobs(connection, 7, [empty, exact, more]);
    const rows = connection.asked.flatMap(({ values }) => {
      expect(values[0]).toBe(7);
      return Array.from({ length: (values.length - 1) / 3 }, (_, row) => values.slice(3 * row + 1, 3 * row + 4));
    });
    const of = (hash: string) =>
      rows.filter(([key]) => (key as Buffer).toString('hex') === hash).map(([, piece, bytes]) => [piece, bytes] as const);
    expect(of(empty.hash)).toEqual([[0, Buffer.alloc(0)]]);
    expect(of(exact.hash).map(([piece, bytes]) => [piece, (bytes as Buffer).length])).toEqual([[0, 8 * MB]]);
    expect(of(more.hash).map(([piece, bytes]) => [piece, (bytes as Buffer).length])).toEqual([
      [0, 8 * MB],
      [1, 8 * MB],
      [2, 1],
    ]);
    expect(Buffer.concat(of(more.hash).map(([, bytes]) => bytes as Buffer)).equals(more.bytes)).toBe(true);
    expect(connection.asked.map(({ timeoutMs }) => timeoutMs)).toEqual(
      connection.asked.map(({ values }) => {
        const parts = values.filter((value, index) => index % 3 === 0 && index > 0) as Buffer[];
        return transferTimeoutMs(parts.reduce((sum, { length }) => sum + length, 0));
      }),
    );
  });

  it('that go in one statement have a row each', async () => {
    const { connection } = storeOf([]);
    const blobs = [blobOf('a'), blobOf('b')];
    await insertBlobs(connection, 7, blobs);
    expect(connection.asked).toHaveLength(1);
    expect(connection.asked[0]?.text).toContain('VALUES ($1, $2, $3, $4), ($1, $5, $6, $7) ON CONFLICT DO NOTHING');
    expect(connection.asked[0]?.values).toEqual([
      7,
      ...verifyBlobs(blobs).flatMap(({ hash, bytes }) => [Buffer.from(hash, 'hex'), 0, bytes]),
    ]);
  });
});

describe('contents that are put in before they are used', () => {
  it('go in groups of four megabytes, each in a transaction', async () => {
    const { connection, ask } = storeOf([]);
    const blobs = [bytesOf(3 * MB, 1), bytesOf(MB, 2), bytesOf(3 * MB, 3), bytesOf(MB, 4), 'small', 'smaller'].map(blobOf);
    await uploadBlobs(ask, 7, blobs);
    const sent = connection.asked
      .filter(({ name }) => name === 'there')
      .map(({ values }) => (values[1] as readonly Buffer[]).map((hash) => hash.toString('hex')));
    expect(sent).toEqual([0, 2, 4].map((at) => blobs.slice(at, at + 2).map(({ hash }) => hash)));
    const ends = connection.asked.flatMap(({ text }) => (text === 'BEGIN' || text === 'COMMIT' ? [text] : []));
    expect(ends).toEqual(['BEGIN', 'COMMIT', 'BEGIN', 'COMMIT', 'BEGIN', 'COMMIT']);
    await uploadBlobs(ask, 7, []);
    expect(connection.asked.filter(({ text }) => text === 'BEGIN')).toHaveLength(3);
  });

  it('go four hundred at once', async () => {
    const { connection, ask } = storeOf([]);
    await uploadBlobs(
      ask,
      7,
      Array.from({ length: 401 }, (_, index) => blobOf(`${index}`)),
    );
    const sent = connection.asked.filter(({ name }) => name === 'there').map(({ values }) => (values[1] as readonly Buffer[]).length);
    expect(sent).toEqual([400, 1]);
  });

  it('count as new where they are there already, and are not sent', async () => {
    const { connection, ask } = storeOf(heldOf('there'));
    await uploadBlobs(ask, 7, [blobOf('there'), blobOf('new')]);
    const [update] = connection.asked.filter(({ text }) => text.includes('UPDATE roux.blob'));
    expect(update?.values).toEqual([7, [Buffer.from(sha('there'), 'hex')]]);
    const [insert] = connection.asked.filter(({ text }) => text.includes('INSERT'));
    expect(insert?.values).toEqual([7, Buffer.from(sha('new'), 'hex'), 0, Buffer.from('new')]);
    // Where none is there, there is nothing to make new.
    const empty = storeOf([]);
    await uploadBlobs(empty.ask, 7, [blobOf('new')]);
    expect(empty.connection.asked.filter(({ text }) => text.includes('UPDATE'))).toEqual([]);
  });
});

describe('contents that are read', () => {
  it('small ones come with the first answer, where few are asked for', async () => {
    const { large, ask, asked } = storeOf([
      ...heldOf('a'),
      ...heldOf('b'),
      ...heldOf(bytesOf(64 * 1024, 1)),
      ...heldOf(bytesOf(64 * 1024 + 1, 2)),
    ]);
    const wanted = [sha('a'), sha('b'), sha('a'), sha('none'), sha(bytesOf(64 * 1024, 1))];
    const found = await all(readBlobs(ask, 7, wanted, { limits: large }));
    expect(found.map(({ hash }) => hash)).toEqual([sha('a'), sha('b'), sha(bytesOf(64 * 1024, 1))]);
    expect([String(found[0]?.bytes), asked('pieces').length, asked('bytes').length]).toEqual(['a', 1, 0]);
    expect(asked('pieces')[0]?.values[1]).toHaveLength(4);
    expect((await all(readBlobs(ask, 7, [sha(bytesOf(64 * 1024 + 1, 2))], { limits: large }))).map(({ bytes }) => bytes.length)).toEqual([
      65_537,
    ]);
    expect(asked('bytes')).toHaveLength(1);
  });

  it('of many only the sizes come first, a thousand at once', async () => {
    const texts = Array.from({ length: 1001 }, (_, index) => `${index}`);
    const { large, ask, asked, connection } = storeOf(texts.flatMap((text) => heldOf(text)));
    const found = await all(readBlobs(ask, 7, texts.map(sha), { limits: large }));
    expect(found.map(({ bytes }) => String(bytes)).toSorted()).toEqual(texts.toSorted());
    expect(asked('pieces').map(({ values }) => [(values[1] as readonly Buffer[]).length, values[2]])).toEqual([
      [1000, -1],
      [1, -1],
    ]);
    expect(asked('bytes').map(({ values }) => (values[1] as readonly Buffer[]).length)).toEqual([400, 400, 200, 1]);
    connection.asked.splice(0);
    expect(await all(readBlobs(ask, 7, texts.slice(0, 64).map(sha), { limits: large }))).toHaveLength(64);
    expect([asked('pieces')[0]?.values[2], asked('bytes').length]).toEqual([64 * 1024, 0]);
    connection.asked.splice(0);
    expect(await all(readBlobs(ask, 7, texts.slice(0, 65).map(sha), { limits: large }))).toHaveLength(65);
    expect([asked('pieces')[0]?.values[2], asked('bytes').length]).toEqual([-1, 1]);
  });

  it('of none nothing is asked, and of a thousand once', async () => {
    const { large, ask, asked } = storeOf(heldOf('a'));
    expect([await all(readBlobs(ask, 7, [], { limits: large })), asked('pieces')]).toEqual([[], []]);
    await all(
      readBlobs(
        ask,
        7,
        Array.from({ length: 1000 }, (_, index) => sha(`${index}`)),
        { limits: large },
      ),
    );
    expect(asked('pieces')).toHaveLength(1);
  });

  it('large ones are put together of their pieces, also where the last one is small', async () => {
    const bytes = bytesOf(8 * MB + 3, 5);
    const { large, ask, asked, sizes } = storeOf([...heldOf(bytes), ...heldOf('small')]);
    const found = await all(readBlobs(ask, 7, [sha(bytes), sha('small')], { limits: large }));
    expect(found.map(({ hash }) => hash)).toEqual([sha('small'), sha(bytes)]);
    expect(found[1]?.bytes.equals(bytes)).toBe(true);
    expect(sizes).toEqual([8 * MB, 3]);
    expect(asked('bytes').map(({ timeoutMs }) => timeoutMs)).toEqual(sizes.map(transferTimeoutMs));
  });

  it('pieces that are small come together', async () => {
    const bytes = bytesOf(3 * MB, 6);
    const { large, ask, sizes } = storeOf(heldOf(bytes, MB));
    const [found] = await all(readBlobs(ask, 7, [sha(bytes)], { limits: large }));
    expect([found?.bytes.equals(bytes), sizes]).toEqual([true, [3 * MB]]);
  });

  it('of those of several pieces one is held at a time, whoever asks', async () => {
    const [one, two] = [bytesOf(2 * MB, 1), bytesOf(2 * MB, 2)];
    const { large, ask, asked } = storeOf([...heldOf(one, MB), ...heldOf(two, MB)]);
    const first = readBlobs(ask, 7, [sha(one)], { limits: large });
    expect((await first.next()).value?.hash).toBe(sha(one));
    const second = readBlobs(ask, 7, [sha(two)], { limits: large }).next();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    const before = asked('bytes').length;
    await first.return(undefined);
    expect((await second).value?.hash).toBe(sha(two));
    expect([before, asked('bytes').length]).toEqual([1, 2]);
  });

  it('those that are too large are left out and reported, by the size of all of their pieces', async () => {
    const [large, exact] = [bytesOf(2 * MB + 1, 1), bytesOf(2 * MB, 2)];
    const { ask, asked } = storeOf([...heldOf(large, MB), ...heldOf(exact, MB), ...heldOf('small')]);
    const told: unknown[] = [];
    const limits = { maxBytes: 2 * MB, queue: { last: Promise.resolve() } };
    const found = await all(
      readBlobs(ask, 7, [sha(large), sha(exact), sha('small')], { limits: limits, onTooLarge: (hash, size) => told.push([hash, size]) }),
    );
    expect(found.map(({ hash }) => hash)).toEqual([sha('small'), sha(exact)]);
    expect(told).toEqual([[sha(large), 2 * MB + 1]]);
    const hashes = asked('bytes').flatMap(({ values }) => (values[1] as readonly Buffer[]).map((hash) => hash.toString('hex')));
    expect(hashes).not.toContain(sha(large));
    expect(await all(readBlobs(ask, 7, [sha(large)], { limits: limits }))).toEqual([]);
  });

  it('one that is not what it was is refused, also in pieces', async () => {
    const bytes = bytesOf(2 * MB, 3);
    const damaged = [...heldOf(bytes, MB), ...heldOf('whole')].map((held) => ({ ...held, bytes: Buffer.alloc(held.bytes.length) }));
    const { large, ask } = storeOf(damaged);
    for (const hash of [sha(bytes), sha('whole')])
      await expect(all(readBlobs(ask, 7, [hash], { limits: large }))).rejects.toMatchObject({ code: 'IO_ERROR', details: { hash } });
    // The next one is not held up by it.
    await expect(all(readBlobs(ask, 7, [sha(bytes)], { limits: large }))).rejects.toMatchObject({ code: 'IO_ERROR' });
  });

  it('one alone is given, or null, or refused for its size', async () => {
    const { ask } = storeOf([...heldOf('a'), ...heldOf(bytesOf(MB + 1, 1))]);
    const limits = { maxBytes: MB, queue: { last: Promise.resolve() } };
    expect([String(await readBlob(ask, 7, sha('a'), limits)), await readBlob(ask, 7, sha('none'), limits)]).toEqual(['a', null]);
    await expect(readBlob(ask, 7, sha(bytesOf(MB + 1, 1)), limits)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
