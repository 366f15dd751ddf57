import { describe, expect, it } from 'vitest';
import { openMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('a machine that is asked to end', () => {
  const store = useStore();

  it('H-02 refuses a write that waits for another machine’s lock at once, and nothing is written later', async () => {
    const machine = await openMachine(store, 'anna', { vault: 'end', source: { 'a.md': 'A\n' } });
    try {
      await machine.ask('update_node', { id: 'a', append: 'one' });
      const before = machine.folder.read('a.md');
      const other = await store.open('end', { machine: 'other' });
      let giveBack: (() => void) | undefined;
      const turn = other.commitUnderLock(() => new Promise<void>((resolve) => (giveBack = resolve)));
      await waitFor(() => giveBack !== undefined, { what: 'the turn of the other machine' });
      const waiting = async (): Promise<boolean> =>
        (await store.cluster.sql(`SELECT FROM pg_stat_activity WHERE datname = 'team' AND wait_event_type = 'Lock'`)).length > 0;
      const refused = machine.ask('update_node', { id: 'a', append: 'two' }).catch((error: unknown) => error);
      await waitFor(waiting, { what: 'a write that waits' });
      machine.vault.writes.stopWriting();
      expect(await refused).toMatchObject({ code: 'CANCELLED', retryable: true, message: expect.stringContaining('asked to end') });
      giveBack?.();
      await turn;
      await machine.restart();
      await machine.ask('update_node', { id: 'a', append: 'three' });
      expect(machine.folder.read('a.md').slice(before.length)).not.toContain('two');
      expect(machine.folder.read('a.md')).toContain('three');
    } finally {
      await machine.close();
    }
  });
});
