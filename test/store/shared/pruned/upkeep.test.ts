import { describe, expect, it } from 'vitest';
import type { SharedStore } from '../../../../src/store/shared/shared-store.ts';
import type { SharedVault } from '../../../../src/store/shared/shared-vault.ts';
import { change, commitOf, sha, write } from '../../../support/postgres/commits.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { openSimulatedCopy } from '../../../support/simulated/simulated-copy.ts';
import { simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { testPorts } from '../../../support/test-ports.ts';
import { waitFor } from '../../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('upkeep of a store', () => {
  const store = useStore();
  const sql = <Row = Record<string, unknown>>(statement: string) => store.cluster.sql<Row>(statement, 'team');
  const blobOf = (text: string) => ({ hash: sha(text), bytes: Buffer.from(text) });
  const isKept = async (vault: SharedVault, text: string): Promise<boolean> => (await vault.blobs.get(sha(text))) !== null;
  /** So many days and an hour go by for everything in the store, and at last for the vault's row. */
  const age = async (vault: string, days: number): Promise<void> => {
    const time = `interval '${24 * days + 1} hours'`;
    await sql(`UPDATE roux.blob SET used_at = used_at - ${time}`);
    await sql(`UPDATE roux.batch SET expires = expires - ${time}, stored_at = stored_at - ${time}`);
    await sql(`UPDATE roux.vault SET pruned_at = pruned_at - ${time} WHERE name = '${vault}'`);
  };

  /** A copy that follows and asks a few times a second whether something is due, and how often it was told that it is. */
  function follow(vault: SharedVault, log: string[] = []): { readonly copy: SharedStore; readonly answers: (number | null)[] } {
    const ports = testPorts(log);
    const answers: (number | null)[] = [];
    const copy = openSimulatedCopy({
      disk: simulatedDisk({}),
      ports,
      process: 1,
      machine: 'a',
      connect: async () => ({
        ...vault,
        prune: async (options) => {
          const answer = await vault.prune(options);
          answers.push(answer);
          return answer;
        },
      }),
      intervals: { push: 20, poll: 20, upkeep: 30 },
    });
    return { copy, answers };
  }

  it('P-12 machines that follow end keys and contents by themselves, one of them once a day; the feed they leave', async () => {
    const vaults = await Promise.all(Array.from({ length: 4 }, () => store.open('daily')));
    const [vault] = vaults;
    await write(vault!, [change('a.md', null, 'first')], { key: { key: 'k', payloadHash: 'p', answer: 1 } });
    await write(vault!, [change('a.md', 'first', 'second')]);
    await vault!.blobs.upload([blobOf('never used')]);
    const machines = vaults.map((each) => follow(each));
    const done = (): number => machines.flatMap(({ answers }) => answers.filter((answer) => answer !== null)).length;
    /** All of them ask twice from now on. */
    const asked = (): Promise<unknown> => {
      const before = machines.map(({ answers }) => answers.length);
      const isOver = (): boolean => machines.every(({ answers }, index) => answers.length >= (before[index] ?? 0) + 2);
      return waitFor(isOver, { what: 'all of them to ask' });
    };
    try {
      await Promise.all(machines.map(({ copy }) => copy.follow()));
      await asked();
      expect([done(), await isKept(vault!, 'never used')]).toEqual([0, true]);

      await age('daily', 8);
      await waitFor(() => done() > 0, { what: 'one of them to end what is over' });
      await asked();
      expect(await isKept(vault!, 'never used')).toBe(false);
      expect(done()).toBe(1);
      expect(await sql(`SELECT key FROM roux.batch WHERE key IS NOT NULL`)).toEqual([]);
      // What the feed refers to is history, and stays as long as nobody says otherwise.
      expect(await vault!.feed.commitsAfter(0)).toHaveLength(2);
      expect(await isKept(vault!, 'first')).toBe(true);
    } finally {
      await Promise.all(machines.map(({ copy }) => copy.close()));
    }
  });

  it('what cannot be ended now is logged and asked for again, and neither writes nor the folder are held up', async () => {
    const vault = await store.open('failing');
    const other = await store.open('failing');
    await vault.blobs.upload([blobOf('left')]);
    await sql(`UPDATE roux.blob SET used_at = used_at - interval '2 days'`);
    await sql(`UPDATE roux.vault SET pruned_at = pruned_at - interval '2 days'`);
    await sql('ALTER TABLE roux.vault RENAME COLUMN pruned_at TO hidden');
    const log: string[] = [];
    const { copy } = follow(vault, log);
    try {
      await copy.follow();
      await waitFor(() => log.filter((line) => line.includes('later')).length >= 2, { what: 'two failures in the log' });
      await write(other, [change('b.md', null, 'b')]);
      const written = await waitFor(() => copy.read('b.md'), { what: 'what was written' });
      expect(String(written.bytes)).toBe('b');
      await sql('ALTER TABLE roux.vault RENAME COLUMN hidden TO pruned_at');
      await waitFor(async () => !(await isKept(vault, 'left')), { what: 'the end of what nobody uses' });
    } finally {
      await copy.close();
    }
  });

  it('a copy is closed at once in the middle of it', async () => {
    const vault = await store.open('closing');
    const other = await store.open('closing');
    await vault.blobs.upload([blobOf('held')]);
    await age('closing', 1);
    const log: string[] = [];
    const { copy } = follow(vault, log);
    await other.commitUnderLock(async () => {
      await copy.follow();
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pruned_at%'";
      await waitFor(async () => (await sql(waits)).length > 0, { what: 'pruning that waits for the row' });
      await copy.close();
    });
    expect(log).toEqual([]);
  });

  it('a commit that began before, and contents that another machine has just uploaded, lose nothing to it; large ones go a few at a time', async () => {
    const [vault, other] = await Promise.all([store.open('turns'), store.open('turns')]);
    const large = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(3 * 1024 * 1024));
    await vault.blobs.upload([...large, 'old'].map(blobOf));
    await write(vault, [change('a.md', null, 'base')]);
    await age('turns', 2);
    let pruning: Promise<unknown> = Promise.resolve();
    await other.commitUnderLock(async (turn) => {
      await other.blobs.upload([blobOf('just put in')]);
      pruning = vault.prune();
      const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
      await waitFor(async () => (await sql(waits)).length > 0, { what: 'pruning that waits for the row' });
      // What it has seen without use comes into use, as a commit of which the machine sends no content.
      await turn.append(commitOf([change('b.md', null, 'old')], { blobs: new Map() }));
      expect(String(await turn.getBlob(sha('base')))).toBe('base');
    });
    await pruning;
    expect(await Promise.all(large.map((text) => isKept(vault, text)))).toEqual(large.map(() => false));
    expect(await sql('SELECT FROM roux.blob WHERE length(bytes) > 1000000')).toEqual([]);
    await write(other, [change('c.md', null, 'just put in')], { blobs: new Map() });
    for (const text of ['old', 'base', 'just put in']) expect(await isKept(vault, text)).toBe(true);
  });

  it('a key that somebody frees under the lock is theirs: what is left is ended without waiting for them', async () => {
    const [vault, other] = await Promise.all([store.open('keys'), store.open('keys')]);
    for (const key of ['taken', 'left'])
      await write(vault, [change(`${key}.md`, null, key)], { key: { key, payloadHash: 'p', answer: 1 } });
    await age('keys', 8);
    await other.commitUnderLock(async (turn) => {
      expect(await turn.findKey('taken')).toBeNull();
      await turn.append(commitOf([change('new.md', null, 'new')], { key: { key: 'taken', payloadHash: 'p', answer: 2 } }));
      await vault.prune();
    });
    expect(await vault.commitUnderLock((turn) => turn.findKey('taken'))).toMatchObject({ answer: 2 });
    const keys = await sql("SELECT key FROM roux.batch b JOIN roux.vault v ON v.id = b.vault WHERE v.name = 'keys' AND key IS NOT NULL");
    expect(keys).toEqual([{ key: 'taken' }]);
  });

  it('many machines that prune at once, while others write, end it all and break nothing', async () => {
    const vaults = await Promise.all(Array.from({ length: 4 }, () => store.open('crowd')));
    const [vault] = vaults;
    for (let index = 0; index < 30; index += 1) {
      const key = { key: `k${index}`, payloadHash: 'p', answer: index };
      await write(vault!, [change(`${index}.md`, null, `text ${index}`)], { key });
    }
    await age('crowd', 9);
    const results = await Promise.all([
      ...vaults.map((each) => each.prune({ keepDays: 1 })),
      ...Array.from({ length: 10 }, (_, index) => write(vaults[index % 4]!, [change(`new ${index}.md`, null, `new ${index}`)])),
    ]);
    expect(results.slice(0, 4)).toEqual([30, 30, 30, 30]);
    expect(await sql("SELECT FROM roux.batch b JOIN roux.vault v ON v.id = b.vault WHERE v.name = 'crowd' AND key IS NOT NULL")).toEqual(
      [],
    );
    expect((await vault!.feed.commitsAfter(30))?.length).toBe(10);
    expect((await vault!.feed.listing()).files).toHaveLength(40);
    for (const { hash } of (await vault!.feed.listing()).files) expect(await vault!.blobs.get(hash)).not.toBeNull();
  });
});
