import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSharedVault } from '../../../src/store/shared/database/open-shared-vault.ts';
import type { SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { parseStoreUrl } from '../../../src/store/shared/store-url.ts';
import { startCluster } from '../../support/postgres/cluster.ts';
import type { Cluster } from '../../support/postgres/cluster.ts';
import { change, filesOf, replay, sha, write } from '../../support/postgres/commits.ts';
import { hasPostgres, nowhere, useStore } from '../../support/postgres/store.ts';
import { testPorts } from '../../support/test-ports.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('a store of several servers', () => {
  const store = useStore({});
  let copy: Cluster;
  const opened: SharedVault[] = [];
  beforeAll(async () => {
    if (!hasPostgres) return;
    await write(await store.open('notes'), [change('a.md', null, 'a')]);
    copy = await startCluster({ follows: store.cluster });
    await store.cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'copy'");
    await store.cluster.sql('SELECT pg_reload_conf()');
  });
  afterAll(async () => {
    await Promise.all(opened.map((vault) => vault.close()));
    await copy?.remove();
  });

  /** The vault at these servers, in this order. */
  async function open(servers: readonly Cluster[], query = ''): Promise<SharedVault> {
    const [first] = servers;
    const url = store.url('notes', { port: 0, query: `?sslmode=disable${query}` });
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const vault = await openSharedVault(parseStoreUrl(url.replace('127.0.0.1:0', hosts)), {
      ports: testPorts(),
      machine: `of ${first?.port}`,
      client: nowhere,
    });
    opened.push(vault);
    return vault;
  }

  it('the one that takes writes is found, wherever it stands; one that only follows is asked when that is said', async () => {
    for (const servers of [
      [store.cluster, copy],
      [copy, store.cluster],
    ]) {
      const vault = await open(servers);
      expect([vault.isReadOnly, await vault.feed.head()]).toEqual([false, 1]);
    }
    await expect(open([copy])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringContaining('takes no writes') });
    for (const kind of ['any', 'standby', 'read-only', 'prefer-standby']) {
      const reader = await open([copy], `&target_session_attrs=${kind}`);
      expect([reader.isReadOnly, await filesOf(reader)]).toEqual([true, { 'a.md': sha('a') }]);
      await expect(write(reader, [])).rejects.toMatchObject({ code: 'READ_ONLY' });
    }
    const preferred = await open([store.cluster, copy], '&target_session_attrs=prefer-standby');
    expect(preferred.isReadOnly).toBe(true);
    await expect(open([store.cluster], '&target_session_attrs=standby')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect((await open([store.cluster], '&target_session_attrs=prefer-standby')).isReadOnly).toBe(false);
  });

  it('when the one that takes writes is lost and another one takes its place, everything acknowledged is there, and writing goes on by itself', async () => {
    const vault = await open([store.cluster, copy]);
    const told: string[] = [];
    vault.followers.follow(() => void told.push('news'), new AbortController().signal);
    await waitFor(() => told.length > 0);
    let before = 0;
    const acknowledged: string[] = [];
    let isOver = false;
    const refused = new Set<string>();
    const writing = (async () => {
      for (let count = 0; !isOver; count += 1) {
        const path = `${count}.md`;
        await write(vault, [change(path, null, path)]).then(
          () => acknowledged.push(path),
          (error: { code: string }) => refused.add(error.code),
        );
      }
    })();
    try {
      await waitFor(() => acknowledged.length > 20);
      before = told.length;
      await store.cluster.stop('immediate');
      // The write that was under way may wait for this to know what became of it.
      await copy.sql('SELECT pg_promote()');
      const atLoss = acknowledged.length;
      await waitFor(() => acknowledged.length > atLoss + 20, { what: 'writes on the other server' });
    } finally {
      isOver = true;
      await writing;
    }
    expect([...refused].filter((code) => code !== 'STORE_UNAVAILABLE')).toEqual([]);
    const files = await filesOf(vault);
    expect(acknowledged.filter((path) => !(path in files))).toEqual([]);
    expect(await replay(vault)).toEqual(files);
    await waitFor(() => told.length > before, { what: 'news from the other server' });
  });
});
