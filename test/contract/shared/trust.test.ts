import { describe, expect, it } from 'vitest';
import { hasPostgres, PASSWORD, useStore } from '../../support/postgres/store.ts';
import { withHomes } from '../../support/sharing/home.ts';
import type { Home } from '../../support/sharing/home.ts';

const FIX = '{"repairExternalRenames": "fix"}\n';
const SETTING = '"repairExternalRenames": "fix"';

/** Whether the user trusts a folder, by the list of those that are trusted and by what doctor says of a setting that needs trust. */
async function isTrusted(home: Home, name: string): Promise<boolean> {
  const folder = home.folder(name);
  if (!folder.exists('.rouxrc.json')) folder.write('.rouxrc.json', FIX);
  const { folders } = JSON.parse(await home.prepare(['trust', '--list', '--json'])) as { folders: readonly Record<string, string>[] };
  const isListed = folders.some(({ path, state }) => path === folder.root && state === 'trusted');
  const { stdout } = await home.run(['doctor', name]);
  expect(stdout.includes(SETTING), stdout).toBe(!isListed);
  return isListed;
}

describe.skipIf(!hasPostgres)('H-23 trust in folders that follow a store', () => {
  const store = useStore();
  const at = (vault: string): string => store.url(vault, { password: null });

  it('H-23 a folder that "roux share" or "roux clone" made is trusted, and its settings of later count', () =>
    withHomes({ count: 2, password: PASSWORD }, async (anna, ben) => {
      anna.folder('notes').write('a.md', 'A\n');
      expect(await isTrusted(anna, 'notes')).toBe(false);
      anna.folder('notes').remove('.rouxrc.json');
      expect(await anna.run(['share', at('trust'), 'notes'])).toMatchObject({ status: 0 });
      expect(await isTrusted(anna, 'notes')).toBe(true);
      expect(await ben.run(['clone', at('trust'), 'copy'])).toMatchObject({ status: 0 });
      // What one machine set for itself does not come along.
      expect(ben.folder('copy').exists('.rouxrc.json')).toBe(false);
      expect(await isTrusted(ben, 'copy')).toBe(true);
    }));

  it('H-23 one that came with such a setting is not trusted for being shared', () =>
    withHomes({ count: 1, password: PASSWORD }, async (home) => {
      home.folder('came').write('a.md', 'A\n');
      home.folder('came').write('.rouxrc.json', FIX);
      expect(await home.run(['share', at('came'), 'came'])).toMatchObject({ status: 0 });
      expect(await isTrusted(home, 'came')).toBe(false);
      expect(await home.run(['trust', 'came'])).toMatchObject({ status: 0 });
      expect(await isTrusted(home, 'came')).toBe(true);
    }));
});
