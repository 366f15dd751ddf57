import { expect, it, vi } from 'vitest';
import { countKnowledge } from '../../../src/ops/knowledge/maintain/counts.ts';
import { isVisible } from '../../../src/ops/knowledge/retrieve/validity.ts';
import { LazyFacts } from '../../../src/ops/knowledge/stored/cached/lazy-facts.ts';
import { knowledgeOf } from '../../../src/ops/knowledge/stored/knowledge-index.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const LINES = [
  'LIKES [[bob]]: Ann likes Bob. [created_at:: 2025-01-01]',
  'SAYS [[bob]]: Ann writes valid_at:: into her notes. [created_at:: 2025-01-01]',
  'KNOWS [[bob]]: Ann knows Bob. [valid_at:: 2025-01-01] [created_at:: 2025-01-01]',
  'LIVES_IN [[oslo]]: Ann will live in Oslo. [valid_at:: 2999-01-01] [created_at:: 2025-01-01]',
  'LIVES_IN [[bonn]]: Ann lived in Bonn. [valid_at:: 2001-01-01] [invalid_at:: 2002-01-01] [created_at:: 2025-01-01]',
  'LIVES_IN [[rome]]: Ann lives in Rome. [invalid_at:: 2999-01-01] [created_at:: 2025-01-01]',
  'LIVES_IN [[bern]]: Ann lived in Bern. [created_at:: 2025-01-01] [expired_at:: 2025-02-01]',
];
const ann = (lines: readonly string[]): string =>
  `---\nid: e_ann\ntype: entity\ntitle: Ann\ngroup_id: g\n---\n\n## Relations\n\n${lines.map((line) => `- ${line}\n`).join('')}`;

it('K-13 facts are counted as a search finds them, and without a time they are not parsed', () =>
  withVault({ 'knowledge/g/entities/ann.md': ann(LINES) }, async (vault) => {
    const counted = await withOpen(
      vault.root,
      async (opened) => {
        const index = knowledgeOf(opened);
        index.refresh();
        const now = new Date(opened.ports.clock.now()).toISOString();
        const scope = { moment: { valid: now, known: null, isPast: false }, includeExpired: false };
        const facts = index.group('g')?.entity('e_ann')?.facts ?? [];
        const { facts: counts } = countKnowledge(opened);
        expect(counts).toEqual({
          now: facts.filter((fact) => isVisible(fact, scope)).length,
          expired: facts.filter(({ expiredAt }) => expiredAt !== null).length,
          total: LINES.length,
        });
        index.group('g')?.texts.index();
        await waitFor(() => vault.exists('.roux/cache/knowledge'));
        return counts;
      },
      { isFollowing: false, program: 'test' },
    );
    expect(counted).toEqual({ now: 4, expired: 1, total: 7 });
    const parsed = vi.spyOn(LazyFacts.prototype, 'facts', 'get');
    await withOpen(vault.root, (opened) => expect(countKnowledge(opened).facts).toEqual(counted), { isFollowing: false, program: 'test' });
    expect(parsed).not.toHaveBeenCalled();
    parsed.mockRestore();
  }));
