import { describe, expect, it } from 'vitest';
import { randomOf } from '../../support/random.ts';
import { change, commitOf, filesOf, replay, sha, write } from '../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import { waitFor } from '../../support/wait-for.ts';

const DAY = "interval '25 hours'";

describe.skipIf(!hasPostgres)('contents', () => {
  const store = useStore();

  /** Bytes that PostgreSQL cannot make smaller. */
  const noise = (size: number): Buffer => {
    const chance = randomOf(`noise ${size}`);
    return Buffer.from(Uint32Array.from({ length: Math.ceil(size / 4) }, () => chance.next() * 2 ** 32).buffer, 0, size);
  };

  it('P-08 empty files, 8 MiB and a byte, every byte, and names of every script and length come out as they went in', async () => {
    const vault = await store.open('all');
    const texts = new Map<string, Uint8Array | string>([
      ['empty.md', ''],
      ['large.bin', noise(8 * 1024 * 1024 + 1)],
      ['exact.bin', noise(8 * 1024 * 1024)],
      ['bytes.bin', Uint8Array.from({ length: 512 }, (_, index) => index % 256)],
      ['board.canvas', '{"nodes":[]}'],
      ['笔记/日本語.md', '中文\u0000\r\n'],
      ['Ελλάς/Οδός.md', 'ς'],
      ['é.md', 'composed'],
      ['emoji 👩‍👩‍👧.md', '👩‍👩‍👧'],
      ['עברית/ملاحظة.md', 'ملاحظة'],
      [`${'好'.repeat(60)}/${'的'.repeat(60)}/`.repeat(7) + '长.md', 'a name of 2,600 bytes'],
      ['quote"s \'and\\ {braces}, commas, NULL.md', 'x'],
    ]);
    await write(
      vault,
      [...texts].map(([path, text]) => change(path, null, text)),
    );
    expect(await filesOf(vault)).toEqual(
      Object.fromEntries([...texts].map(([path, text]): [string, string] => [path, sha(text)]).sort(([a], [b]) => (a < b ? -1 : 1))),
    );
    for (const text of texts.values()) expect((await vault.blobs.get(sha(text)))?.equals(Buffer.from(text as string))).toBe(true);
    const got = new Map<string, Buffer>();
    for await (const { hash, bytes } of vault.blobs.getAll([...texts.values()].map(sha).concat(sha('not there'))))
      got.set(hash, Buffer.from(bytes));
    expect([...got.keys()].sort()).toEqual([...texts.values()].map(sha).sort());
    for (const [hash, bytes] of got) expect(sha(bytes)).toBe(hash);
    expect(await vault.blobs.get(sha('not there'))).toBeNull();
    expect(await replay(vault)).toEqual(await filesOf(vault));
    const event = { text: 'NUL \u0000, half \ud83d, "quotes"', nested: [1.5, null, { a: 'é' }] };
    await write(vault, [{ ...change('event.md', null, 'x'), event }]);
    expect((await vault.feed.commitsAfter(1))?.[0]?.changes[0]?.event).toEqual(event);
  });

  it('P-08 the feed brings small contents along where they are asked for', async () => {
    const vault = await store.open('along');
    const texts = { 'empty.md': '', 'small.md': 'Grüße\u0000', 'large.md': 'large '.repeat(10_000) };
    await write(
      vault,
      Object.entries(texts).map(([path, text]) => change(path, null, text)),
    );
    await write(vault, [change('small.md', texts['small.md'], null)]);
    const contentsOf = async (how?: { readonly withContents: boolean }): Promise<readonly (string | undefined)[]> =>
      ((await vault.feed.commitsAfter(0, 10, how)) ?? []).flatMap(({ changes }) => changes.map(({ content }) => content?.toString()));
    expect(await contentsOf()).toEqual([undefined, undefined, undefined, undefined]);
    expect(await contentsOf({ withContents: true })).toEqual(['', texts['small.md'], undefined, undefined]);
    // One that is not what it was is not given.
    await store.cluster.sql(`UPDATE roux.blob SET bytes = 'other' WHERE hash = '\\x${sha(texts['small.md'])}'`, 'team');
    expect(await contentsOf({ withContents: true })).toEqual(['', undefined, undefined, undefined]);
  });

  it('P-08 names that differ only by case or Unicode form collide, and are listed as two', async () => {
    const vault = await store.open('twins');
    await write(vault, [change('Café.md', null, 'x')]);
    for (const twin of ['café.md', 'CAFE\u0301.md', 'Cafe\u0301.md']) {
      await expect(write(vault, [change(twin, null, 'y')])).rejects.toMatchObject({
        code: 'NODE_EXISTS',
        details: { path: twin, existing: 'Café.md' },
      });
    }
    const found = await vault.commitUnderLock((turn) => turn.findFiles(['CAFE\u0301.md', 'other.md', 'Café.md']));
    expect([...found].map(([asked, { path }]) => [asked, path])).toEqual([
      ['CAFE\u0301.md', 'Café.md'],
      ['Café.md', 'Café.md'],
    ]);
  });

  it('contents that were put in before are not sent again, and a commit may leave them out; twice is once', async () => {
    const vault = await store.open('upload');
    const blobs = ['one', 'two', 'one', 'large'.repeat(1_000_000)].map((text) => ({ hash: sha(text), bytes: Buffer.from(text) }));
    await vault.blobs.upload(blobs);
    await vault.blobs.upload(blobs);
    const seq = await write(vault, [change('one.md', null, 'one'), change('large.bin', null, 'large'.repeat(1_000_000))], {
      blobs: new Map(),
    });
    expect([seq, String(await vault.blobs.get(sha('one')))]).toEqual([1, 'one']);
    await expect(vault.blobs.upload([{ hash: sha('x'), bytes: Buffer.from('y') }])).rejects.toThrow('hash of a content is wrong');
  });

  it('a content that is damaged in the store is reported and never returned', async () => {
    const vault = await store.open('damaged');
    await write(vault, [change('a.md', null, 'whole')]);
    await store.cluster.sql(`UPDATE roux.blob SET bytes = 'torn' WHERE hash = '\\x${sha('whole')}'`, 'team');
    await expect(vault.blobs.get(sha('whole'))).rejects.toMatchObject({ code: 'IO_ERROR', message: expect.stringContaining('damaged') });
  });

  it('P-12 what is retained for a time expires by the clock of the store: unused contents, keys, and the feed, which says so', async () => {
    const vault = await store.open('pruned');
    const key = { key: 'k', payloadHash: 'p', answer: 1 };
    await write(vault, [change('a.md', null, 'first')], { key });
    const old = commitOf([change('a.md', 'first', 'second')]);
    await vault.commitUnderLock((turn) => turn.append(old));
    await write(vault, [change('b.md', 'second', 'second', 'a.md')]);
    await vault.blobs.upload([{ hash: sha('never used'), bytes: Buffer.from('never used') }]);
    const kept = async (): Promise<readonly boolean[]> =>
      Promise.all(['first', 'second', 'never used'].map(async (text) => (await vault.blobs.get(sha(text))) !== null));
    const age = (what: string): Promise<unknown> => store.cluster.sql(what, 'team');

    await vault.prune();
    expect(await kept()).toEqual([true, true, true]);
    await age(`UPDATE roux.blob SET used_at = used_at - ${DAY}`);
    await vault.blobs.upload([{ hash: sha('second'), bytes: Buffer.from('second') }]);
    await vault.prune();
    // The feed still refers to the first.
    expect(await kept()).toEqual([true, true, false]);

    await age(`UPDATE roux.batch SET stored_at = stored_at - interval '31 days', expires = expires - interval '8 days' WHERE seq <= 2`);
    await age(`UPDATE roux.blob SET used_at = used_at - ${DAY}`);
    await vault.prune({ keepDays: 30 });
    expect([await vault.feed.commitsAfter(0), await vault.feed.commitsAfter(1), await vault.feed.filesAt(1)]).toEqual([null, null, null]);
    expect((await vault.feed.commitsAfter(2))?.map(({ seq }) => seq)).toEqual([3]);
    expect(Object.fromEntries((await vault.feed.filesAt(2)) ?? [])).toEqual({ 'a.md': sha('second') });
    expect([await kept(), await filesOf(vault)]).toEqual([[false, true, false], { 'b.md': sha('second') }]);
    expect(await vault.commitUnderLock((turn) => turn.findKey('k'))).toBeNull();
    // Whether it happened stays known.
    expect(await vault.feed.findOutcome(old.batch)).toBe(2);
  });

  it('pruning leaves what comes into use between its look and its lock', async () => {
    const [vault, other] = await Promise.all([store.open('prune race'), store.open('prune race')]);
    const texts = ['committed', 'put in again', 'unused'];
    await vault.blobs.upload(texts.map((text) => ({ hash: sha(text), bytes: Buffer.from(text) })));
    await store.cluster.sql(`UPDATE roux.blob SET used_at = used_at - ${DAY}`, 'team');
    let pruning: Promise<unknown> = Promise.resolve();
    await other.commitUnderLock(async (turn) => {
      pruning = vault.prune();
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await waitFor(async () => (await store.cluster.sql(waits)).length === 1, { what: 'pruning that waits for the row' });
      await other.blobs.upload([{ hash: sha('put in again'), bytes: Buffer.from('put in again') }]);
      await turn.append(commitOf([change('a.md', null, 'committed')], { blobs: new Map() }));
    });
    await pruning;
    const kept = await Promise.all(texts.map(async (text) => (await vault.blobs.get(sha(text))) !== null));
    expect(kept).toEqual([true, true, false]);
    // Who counts on one that went hears so.
    await expect(write(other, [change('b.md', null, 'unused')], { blobs: new Map() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
