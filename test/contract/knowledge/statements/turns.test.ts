import { describe, expect, it } from 'vitest';
import { isLong } from '../../../support/effort.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { readConversations } from '../../../support/retrieval/turns-set.ts';
import { withVault } from '../../../support/vault.ts';
import { find, ok } from '../kg.ts';
import type { Json } from '../kg.ts';

const conversations = readConversations();
/** Of what is said, this share of the evidence is among the first ten facts, and among the first twenty. */
const LEAST = { 10: 0.72, 20: 0.8 } as const;

describe('what was said', () => {
  it.skipIf(conversations === null)(
    'K-03 the turns that answer a question are among the first facts, by words alone',
    () =>
      withVault({}, (vault) =>
        withServer(
          vault,
          async (session) => {
            const recall = { 10: [] as number[], 20: [] as number[] };
            for (const { name, turns, questions } of conversations!.slice(0, isLong ? undefined : 2)) {
              for (let at = 0; at < turns.length; at += 100) {
                const messages = turns
                  .slice(at, at + 100)
                  .map(({ uuid, speaker, text, at: time }) => ({ uuid, role_type: 'user', role: speaker, content: text, timestamp: time }));
                await ok(session, 'add_messages', { group_id: name, messages });
              }
              for (const { query, answers } of questions) {
                const facts = await find(session, name, query, { max_facts: 20 });
                for (const first of [10, 20] as const) {
                  const found = new Set(facts.slice(0, first).flatMap((fact: Json) => fact.episodes));
                  recall[first].push(answers.filter((uuid) => found.has(uuid)).length / answers.length);
                }
              }
            }
            const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length;
            expect(mean(recall[10])).toBeGreaterThanOrEqual(LEAST[10]);
            expect(mean(recall[20])).toBeGreaterThanOrEqual(LEAST[20]);
          },
          { flags: ['--toolsets', 'knowledge'] },
        ),
      ),
    600_000,
  );
});
