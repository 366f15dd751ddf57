import { expect, it } from 'vitest';
import type { Vault } from '../../src/vault/vault.ts';
import { openReady } from '../support/open.ts';
import { withVault } from '../support/vault.ts';

it('what is derived from a vault is made once for each open vault and closed with it', () =>
  withVault({ 'a.md': '' }, async ({ root }) => {
    const closed: string[] = [];
    const openCount = (vault: Vault) => ({ notes: vault.graph.size, close: () => void closed.push(vault.settings.root) });
    const [one, other] = [await openReady(root), await openReady(root)];
    const count = one.derived(openCount);
    expect(count.notes).toBe(1);
    expect(one.derived(openCount)).toBe(count);
    expect(other.derived(openCount)).not.toBe(count);
    await one.close();
    expect(closed).toEqual([one.settings.root]);
    await other.close();
    expect(closed).toHaveLength(2);
  }));
