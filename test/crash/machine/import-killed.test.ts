import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { isLong, upTo } from '../../support/effort.ts';
import { cli, cliProcess } from '../../support/program/cli.ts';
import type { TestVault } from '../../support/vault.ts';
import { withVault } from '../../support/vault.ts';
import { leftovers } from '../leftovers.ts';

const preload = fileURLToPath(new URL('killed-at-call.mjs', import.meta.url));
const ENTITIES = isLong ? 1_200 : 100;
/** At how many places of its way the import is killed. */
const PLACES = isLong ? 60 : 4;

const memory = [
  ...upTo(ENTITIES).map((n) => JSON.stringify({ type: 'entity', name: `Person ${n}`, entityType: 'person', observations: [`is ${n}`] })),
  ...upTo(ENTITIES).map((n) =>
    JSON.stringify({ type: 'relation', from: `Person ${n}`, to: `Person ${(n + 1) % ENTITIES}`, relationType: 'knows' }),
  ),
  JSON.stringify({ type: 'relation', from: 'Person 0', to: 'Nobody yet', relationType: 'waits for' }),
].join('\n');

/** Imports with the built program, killed before one of its calls; `at` 0: not killed. Returns how many calls it made. */
async function importKilled(vault: TestVault, at: number): Promise<number> {
  const count = vault.path('.count');
  const env = { NODE_OPTIONS: `--import ${preload}`, KILL_AT: String(at), COUNT_IN: count };
  const { status } = await cliProcess(['import', '-', '--vault', vault.root], { stdin: memory, env });
  expect(status).toBe(at === 0 ? 0 : null);
  return at === 0 ? Number(readFileSync(count, 'utf8')) : at;
}

function exported(vault: TestVault): Promise<readonly string[]> {
  return cli(['export', '--vault', vault.root]).then(({ stdout }) =>
    stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .sort(),
  );
}

it('H-25 an import that is killed at any moment is whole or absent after the next start', async () => {
  const outcomes = new Set<string>();
  await withVault({ 'note.md': 'A note.\n' }, async (whole) => {
    const calls = await importKilled(whole, 0);
    const all = await exported(whole);
    expect(all).toEqual(memory.split('\n').sort());
    for (const place of upTo(PLACES)) {
      const at = Math.max(1, Math.round((calls * (place + 0.5)) / PLACES));
      await withVault({ 'note.md': 'A note.\n' }, async (vault) => {
        await importKilled(vault, at);
        const found = await exported(vault);
        outcomes.add(found.length === 0 ? 'absent' : 'whole');
        expect(found, `killed at call ${at} of ${calls}`).toEqual(found.length === 0 ? [] : all);
        expect(leftovers(vault)).toEqual([]);
      });
    }
    expect([...outcomes]).toContain('whole');
  });
});
