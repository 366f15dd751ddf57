import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, expectedTexts, hubLinksLeft, lostItems, repaired } from '../../../scripts/bench/day/checks.ts';
import { seedVault, textsOf } from '../../../scripts/bench/day/day-vaults.ts';
import { FAULTS } from '../../../scripts/bench/day/faults.ts';
import type { DayVault } from '../../../scripts/bench/day/faults.ts';
import { Ledger, PER_TOKEN } from '../../../scripts/bench/day/ledger.ts';
import { QUESTIONS } from '../../../scripts/bench/day/questions.ts';
import { rouxDay } from '../../../scripts/bench/day/roux-day.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { vaultsNamed } from '../../support/vaults.ts';

const VAULTS = vaultsNamed('kepano', 'obsidian-developer-docs');
const MAX_CALLS = 60;
const MAX_TOKENS = 30_000;

describe("an agent's day", () => {
  it.skipIf(!VAULTS.every(({ isThere }) => isThere))(
    'A-22 thirty repairs, a merge, a hub rename and ten questions take at most 60 calls and 30,000 tokens, and lose nothing',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'roux-test-'));
      const ledger = new Ledger();
      const answered: string[] = [];
      try {
        for (const { name, root: original } of VAULTS) {
          const vault = name as DayVault;
          const root = seedVault(vault, original, folder);
          const morning = textsOf(root);
          const day = await withMcp({ root }, ({ call }) =>
            rouxDay(
              vault,
              async (tool, args) => {
                const { isError, texts } = await call(tool, { ...args });
                if (isError) throw new Error(`${tool}: ${texts.join('\n')}`);
                return texts;
              },
              ledger,
            ),
          );
          const evening = textsOf(root);
          answered.push(...day.answered);
          expect(day.broken).toBe(0);
          expect(repaired(vault, evening)).toEqual(FAULTS.filter((fault) => fault.vault === vault));
          expect(lostItems(vault, morning, evening)).toEqual([]);
          expect(hubLinksLeft(evening)).toBe(0);
          expect(differences(expectedTexts(vault, textsOf(original)), evening)).toEqual([]);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      }
      expect(FAULTS).toHaveLength(30);
      expect(answered).toEqual(QUESTIONS.map(({ asks }) => asks));
      const { calls, answered: characters } = ledger.total();
      expect(calls).toBeLessThanOrEqual(MAX_CALLS);
      expect(characters / PER_TOKEN).toBeLessThanOrEqual(MAX_TOKENS);
    },
  );
});
