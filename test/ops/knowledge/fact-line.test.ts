import { expect, it } from 'vitest';
import { formatFact, parseFact } from '../../../src/ops/knowledge/stored/fact-line.ts';
import { randomOf } from '../../support/random.ts';

const factIn = (line: string) => {
  const read = parseFact(line);
  if (read === null || 'problem' in read) throw new Error(`no fact: ${line}`);
  return read.fact;
};

it('K-18 the confirmations of a fact and its day are read back as they were written, whatever else is on its line', () => {
  const random = randomOf('confirmed facts');
  const actors = ['human:ana', 'claude-code/2.0', 'process:ci', 'human:Ana-María', 'x_y.z+1@home/unknown'];
  const fields = ['[valid_at:: 2020-01-01T00:00:00.000Z]', '[mine:: a; b]', '[episode:: [[e]]]', '[qualifiers:: {"a":1}]'];
  for (let round = 0; round < 200; round += 1) {
    const base = factIn(`LIKES [[Tea]]: Ana likes tea. ${fields.filter(() => random.chance(0.5)).join(' ')} ^f-1`);
    const verified = actors
      .filter(() => random.chance(0.5))
      .map((by) => ({ by, at: new Date(1_700_000_000_000 + random.below(1e9)).toISOString() }));
    const fact = { ...base, verified, staleAfter: random.chance(0.5) ? '2027-01-31' : null };
    expect(factIn(formatFact(fact))).toEqual(fact);
  }
});

it('K-18 fields that hold no confirmation or no day are a person’s own and stay', () => {
  const own = [
    '[verified:: yes]',
    '[verified:: 2026-01-01]',
    '[verified:: 2026-02-30 human:ana]',
    '[verified:: 2026-01-01 human:ana; soon]',
    '[verified:: 2026-01-01 human:ana b]',
    '[stale_after:: 2026]',
    '[stale_after:: 2026-13-01]',
  ];
  for (const field of own) {
    const fact = factIn(`LIKES [[Tea]] ${field} ^f-1`);
    expect(fact, field).toMatchObject({ verified: [], staleAfter: null });
    expect(formatFact(fact)).toContain(field);
  }
});
