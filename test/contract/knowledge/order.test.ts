import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import { answersAt, day, statements } from '../../ops/knowledge/reconcile/model.ts';
import type { Statement } from '../../ops/knowledge/reconcile/model.ts';
import { find, ingest } from './kg.ts';
import type { Json } from './kg.ts';

const FLAGS = ['--toolsets', 'knowledge'];

/** An episode that states this, and nothing else. */
function episode({ target, words, valid, ends, isNegated, said, isSingle }: Statement) {
  return {
    source: 'text',
    body: `Episode ${said}.`,
    reference_time: day(said),
    extraction: {
      nodes: [
        { tmp_ref: 'a', name: 'Alice' },
        { tmp_ref: 'b', name: target },
      ],
      edges: [
        {
          name: isSingle ? 'WORKS_AT' : 'LIKES',
          fact: `Alice ${words} there.`,
          source_ref: 'a',
          target_ref: 'b',
          negated: isNegated,
          ...(valid === null ? {} : { valid_at: day(valid) }),
          ...(ends === null ? {} : { invalid_at: day(ends) }),
        },
      ],
    },
  };
}

async function answers(session: McpSession, group: string, as_of: unknown): Promise<readonly string[]> {
  const facts = await find(session, group, 'Alice', { as_of, max_facts: 100 });
  return facts
    .map((fact) => `${fact.negated ? 'not ' : ''}${fact.target_node_name}: ${fact.fact.replace(/^Alice | there\.$/g, '')}`)
    .sort();
}

it('S3-38 S3-40 S3-43 through the tools and their files: any order gives the answers of the model, and as of then what was answered then', async () => {
  await withVault({ '.rouxrc.json': '{"knowledge": {"single": ["works_at"]}, "embeddings": "none"}' }, (vault) =>
    withServer(
      vault,
      async (session) => {
        let group = 0;
        await fc.assert(
          fc.asyncProperty(statements, fc.infiniteStream(fc.nat()), async (stated, chance) => {
            const shuffled = stated.map((each) => ({ each, at: Number(chance.next().value) })).sort((a, b) => a.at - b.at);
            const id = `g${(group += 1)}`;
            const recorded: { known: string; facts: readonly Json[] }[] = [];
            for (const { each } of shuffled) {
              expect((await ingest(session, id, [episode(each)])).states).toEqual(['completed']);
              const known = new Date().toISOString();
              recorded.push({
                known,
                facts: await find(session, id, 'Alice', { as_of: { known }, max_facts: 100, include_expired: true }),
              });
            }
            await ingest(session, `${id}-at-once`, stated.map(episode));
            for (const at of [0, 3, 5, 8, 900]) {
              const wanted = answersAt(stated, at);
              expect(await answers(session, id, { valid: day(at) }), `at ${at}, ${shuffled.map(({ each }) => each.said).join()}`).toEqual(
                wanted,
              );
              expect(await answers(session, `${id}-at-once`, { valid: day(at) }), `at ${at}, at once`).toEqual(wanted);
            }
            for (const { known, facts } of recorded) {
              const then = await find(session, id, 'Alice', { as_of: { known }, max_facts: 100, include_expired: true });
              // Episodes that say it again are told of whenever they come.
              const content = (all: readonly Json[]): readonly Json[] => all.map((fact) => ({ ...fact, episodes: [] }));
              expect(content(then)).toEqual(content(facts));
            }
          }),
          { numRuns: runs(6) },
        );
      },
      { flags: FLAGS },
    ),
  );
});
