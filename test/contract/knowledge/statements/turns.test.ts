import { expect, it } from 'vitest';
import { isLong } from '../../../support/effort.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { mean, recallTurns } from '../../../support/retrieval/turns-recall.ts';
import { readConversations } from '../../../support/retrieval/turns-set.ts';
import { withVault } from '../../../support/vault.ts';

const conversations = readConversations();

it.skipIf(conversations === null)(
  'K-03 the turns that answer a question are among the first facts, by words alone',
  () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const all = { in10: [] as number[], in20: [] as number[] };
          for (const conversation of conversations!.slice(0, isLong ? undefined : 1)) {
            const { in10, in20 } = await recallTurns(session, conversation);
            all.in10.push(...in10);
            all.in20.push(...in20);
          }
          // The first conversation is an easier one.
          expect(mean(all.in10)).toBeGreaterThanOrEqual(isLong ? 0.72 : 0.755);
          expect(mean(all.in20)).toBeGreaterThanOrEqual(isLong ? 0.8 : 0.805);
        },
        { flags: ['--toolsets', 'knowledge'] },
      ),
    ),
  600_000,
);
