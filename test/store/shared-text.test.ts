import { readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSharedText } from '../../src/store/shared-text.ts';
import { withVault } from '../support/vault.ts';

const PLACE = { folder: 'roux', name: 'claims' };

describe('a text that processes replace', () => {
  it('T-05 each replaces only the version that it has seen, and a late one of long ago comes to nothing', () =>
    withVault({}, (vault) => {
      const { root } = vault;
      const [one, two, late] = [openSharedText(root, PLACE), openSharedText(root, PLACE), openSharedText(root, PLACE)];
      expect(one.read()).toEqual({ version: 0, text: '' });
      expect(readdirSync(root)).toEqual([]);
      expect([one.replace(0, 'a'), two.replace(0, 'b')]).toEqual([true, false]);
      expect(two.read()).toEqual({ version: 1, text: 'a' });
      const seen = late.read();
      expect([two.replace(1, 'c'), one.replace(2, 'd'), two.replace(3, 'e')]).toEqual([true, true, true]);
      // Its next version was there and is removed: it finds the name free, and must not win.
      expect(late.replace(seen.version, 'f')).toBe(false);
      expect(one.read()).toEqual({ version: 4, text: 'e' });
      expect(readdirSync(vault.path('roux'))).toEqual(['claims.4']);
    }));

  it('T-05 what a crash left of a version is no version, and is removed when it is old', () =>
    withVault({}, (vault) => {
      const { root } = vault;
      const text = openSharedText(root, PLACE);
      text.replace(0, 'a');
      for (const name of ['claims.new-old', 'claims.new-young', 'claims.x', 'other.9']) writeFileSync(vault.path(`roux/${name}`), 'half');
      utimesSync(vault.path('roux/claims.new-old'), 1, 1);
      expect(text.read()).toEqual({ version: 1, text: 'a' });
      expect(text.replace(1, 'b')).toBe(true);
      expect(readdirSync(vault.path('roux')).toSorted()).toEqual(['claims.2', 'claims.new-young', 'claims.x', 'other.9']);
    }));

  it('T-05 follows no link', () =>
    withVault({ 'aside/a.md': '' }, (vault) => {
      const { root } = vault;
      symlinkSync(vault.path('aside'), vault.path('roux'));
      expect(() => openSharedText(root, PLACE).replace(0, 'a')).toThrow(/ENOTDIR|ELOOP/);
      expect(readdirSync(vault.path('aside'))).toEqual(['a.md']);
    }));
});
