import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSharedVault, listSharedVaults } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { Follower, SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { change, commitOf, filesOf, sha, write } from '../../support/postgres/commits.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import type { Proxy } from '../../support/postgres/proxy.ts';
import { hasPostgres, nowhere, useStore } from '../../support/postgres/store.ts';
import { testPorts } from '../../support/test-ports.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('machines beside one another', () => {
  const store = useStore();
  let proxy: Proxy;
  beforeAll(async () => void (hasPostgres && (proxy = await startProxy(store.cluster.port))));
  afterAll(async () => proxy?.close());
  const options = { ports: testPorts(), machine: 'a', client: nowhere };

  it('the lock of one vault blocks no other vault, nor readers and contents of its own', async () => {
    const [one, same, other] = await Promise.all([store.open('one'), store.open('one'), store.open('other')]);
    await write(one, [change('a.md', null, 'a')]);
    const seq = await one.commitUnderLock(async (turn) => {
      await turn.append(commitOf([change('b.md', null, 'same text')]));
      expect(await write(other, [change('b.md', null, 'same text')])).toBe(1);
      expect([await same.feed.head(), await filesOf(same), (await same.feed.commitsAfter(0))?.length]).toEqual([
        1,
        { 'a.md': sha('a') },
        1,
      ]);
      await same.blobs.upload([{ hash: sha('beside'), bytes: Buffer.from('beside') }]);
      expect(String(await same.blobs.get(sha('beside')))).toBe('beside');
      // Its own row is another matter.
      await expect(same.commitUnderLock(async () => 'begun', { timeoutMs: 200 })).rejects.toMatchObject({
        code: 'LOCK_TIMEOUT',
        retryable: true,
      });
      return turn.seq;
    });
    expect(seq).toBe(2);
  });

  it('a wait for the lock ends in time or at the signal, and the task has not begun', async () => {
    const [holder, waiter] = await Promise.all([store.open('row'), store.open('row')]);
    let begun = 0;
    const begin = async (): Promise<void> => void (begun += 1);
    await holder.commitUnderLock(async () => {
      const stop = new AbortController();
      const waiting = waiter.commitUnderLock(begin, { signal: stop.signal });
      const caught = waiting.catch((error: unknown) => error);
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await waitFor(async () => (await store.cluster.sql(waits)).length === 1);
      stop.abort();
      expect(await caught).toMatchObject({ code: 'CANCELLED' });
      await expect(waiter.commitUnderLock(begin, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      // Within one process too.
      await expect(holder.commitUnderLock(begin, { timeoutMs: 100 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      await expect(holder.commitUnderLock(begin, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    });
    expect(begun).toBe(0);
    await waiter.commitUnderLock(begin);
    expect(begun).toBe(1);
  });

  it('the signal releases the lock in the middle of a task', async () => {
    const [vault, other] = await Promise.all([store.open('stop'), store.open('stop')]);
    const stop = new AbortController();
    let done = 0;
    const turn = vault.commitUnderLock(
      async (now) => {
        await now.append(commitOf([change('a.md', null, 'a')]));
        stop.abort();
        done = await write(other, [change('b.md', null, 'b')]);
        await now.append(commitOf([change('c.md', null, 'c')]));
      },
      { signal: stop.signal },
    );
    await expect(turn).rejects.toMatchObject({ code: 'CANCELLED' });
    expect([done, await filesOf(vault)]).toEqual([1, { 'b.md': sha('b') }]);
  });

  it('P-01 a vault is created once: its creator gets it again however far it came, others get an error, and it says when it is complete', async () => {
    const url = parseStoreUrl(store.url('shared'));
    const create = (): Promise<SharedVault> => createSharedVault(url, 'maker', options);
    const made = await Promise.all([create(), create(), create()]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    const [vault] = made;
    expect([vault.isIncomplete, vault.name]).toEqual([true, 'shared']);
    // Killed here, it goes on where it was.
    await write(vault, [change('a.md', null, 'a')]);
    const again = await createSharedVault(url, 'maker', options);
    expect([again.id, again.isIncomplete, await filesOf(again)]).toEqual([vault.id, true, { 'a.md': sha('a') }]);
    await again.markComplete();
    const full = await createSharedVault(url, 'maker', options);
    expect([full.id, full.isIncomplete]).toEqual([vault.id, false]);
    await expect(createSharedVault(url, 'another maker', options)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('has a vault "shared" already'),
    });
    expect((await listSharedVaults(url, options)).find(({ name }) => name === 'shared')).toEqual({
      name: 'shared',
      id: vault.id,
      isIncomplete: false,
      seq: 1,
    });
    await Promise.all([...made, again, full].map((each) => each.close()));
    // Without a second part of the path, a vault is called like its database.
    const short = await createSharedVault(parseStoreUrl(store.url('x').replace('/team/x', '/team')), 'm', options);
    expect(short.name).toBe('team');
    await short.close();
  });

  it('P-11 while the store is away everything is STORE_UNAVAILABLE, and goes on by itself when it is back, with what was acknowledged', async () => {
    const vault = await store.open('away');
    await write(vault, [change('a.md', null, 'a')]);
    await store.cluster.stop('immediate');
    const away = { code: 'STORE_UNAVAILABLE', retryable: true };
    await expect(write(vault, [change('b.md', null, 'b')])).rejects.toMatchObject(away);
    await expect(vault.feed.head()).rejects.toMatchObject(away);
    await expect(vault.blobs.get(sha('a'))).rejects.toMatchObject(away);
    await expect(vault.blobs.upload([{ hash: sha('b'), bytes: Buffer.from('b') }])).rejects.toMatchObject(away);
    await expect(store.open('away')).rejects.toMatchObject(away);
    await store.cluster.start();
    expect([await vault.feed.head(), await write(vault, [change('b.md', null, 'b')])]).toEqual([1, 2]);
  });

  it('a vault that was removed, or replaced under its name, is recognised', async () => {
    const vault = await store.open('removed');
    await write(vault, [change('a.md', null, 'a')]);
    await store.cluster.sql("DELETE FROM roux.vault WHERE name = 'removed'", 'team');
    const again = await store.open('removed');
    expect(again.id).not.toBe(vault.id);
    const gone = { code: 'VAULT_NOT_FOUND' };
    await expect(write(vault, [change('b.md', null, 'b')])).rejects.toMatchObject(gone);
    await expect(vault.feed.head()).rejects.toMatchObject(gone);
    await expect(vault.feed.findOutcome('x')).rejects.toMatchObject(gone);
    // After a restore, a row may have the same number and be another vault's.
    const kept = await store.open('restored', { port: proxy.port });
    await store.cluster.sql("UPDATE roux.vault SET ulid = 'another' WHERE name = 'restored'", 'team');
    proxy.cutAll();
    await expect(kept.feed.head()).rejects.toMatchObject(gone);
  });

  it('followers are notified of every commit, also of those made while they were cut off, and see one another', async () => {
    const news: number[] = [];
    const stop = new AbortController();
    const writer = await store.open('followed', { machine: 'writer' });
    const follower = await store.open('followed', { machine: 'Ännes Laptop · 3. Stock, Zimmer 12 (neu)', port: proxy.port });
    let seen = 0;
    const look = async (): Promise<void> => {
      seen = Math.max(seen, await follower.feed.head());
      news.push(seen);
      follower.followers.reportCheckpoint(seen);
    };
    follower.followers.follow(() => void look().catch(() => undefined), stop.signal);
    writer.followers.follow(() => undefined, stop.signal);
    await waitFor(() => news.length > 0);
    await write(writer, [change('a.md', null, 'a')]);
    await waitFor(() => seen === 1);
    const others = async (): Promise<readonly Follower[]> => (await writer.followers.list()).filter(({ machine }) => machine !== 'writer');
    await waitFor(async () => (await others())[0]?.seq === 1);
    // As much of the name as there is room for.
    expect((await others())[0]?.machine).toMatch(/^Ännes Laptop · 3/);
    expect(await writer.followers.list()).toContainEqual({ machine: 'writer', seq: null });

    // Cut off: nothing is heard, nobody is seen; then what was missed is told of.
    proxy.isOpen = false;
    proxy.cutAll();
    await waitFor(async () => (await others()).length === 0);
    await write(writer, [change('b.md', null, 'b')]);
    proxy.isOpen = true;
    await waitFor(() => seen === 2);
    await waitFor(async () => (await others()).length === 1);
    stop.abort();
    await waitFor(async () => (await writer.followers.list()).length === 0);
  });

  it('what waits when a vault is closed is cancelled, and nothing stays connected', async () => {
    const [holder, vault] = await Promise.all([store.open('closing'), store.open('closing')]);
    vault.followers.follow(() => undefined, new AbortController().signal);
    await waitFor(async () => (await holder.followers.list()).length === 1);
    await holder.commitUnderLock(async () => {
      const waiting = write(vault, [change('a.md', null, 'a')]);
      const queued = write(vault, [change('b.md', null, 'b')]);
      const caught = [waiting, queued].map((each) => each.catch((error: unknown) => error));
      await waitFor(async () => (await store.cluster.sql("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length === 1);
      await vault.close();
      expect(await Promise.all(caught)).toMatchObject([{ code: 'CANCELLED' }, { code: 'CANCELLED' }]);
    });
    await expect(vault.feed.head()).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(write(vault, [])).rejects.toMatchObject({ code: 'CANCELLED' });
    await waitFor(async () => (await holder.followers.list()).length === 0);
    expect(await holder.feed.head()).toBe(0);
  });
});
