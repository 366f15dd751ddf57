import { expect, it } from 'vitest';
import { applyChanges } from '../../src/note/edit.ts';
import { isStale, judgeConfirmations, readDay, readFreshness, withConfirmation } from '../../src/note/freshness.ts';
import { readFrontmatter } from '../../src/note/frontmatter/read-frontmatter.ts';
import { randomOf } from '../support/random.ts';

const AT = '2026-11-28T10:00:00.000Z';
const NOW = Date.parse('2026-11-29T10:00:00Z');
const freshnessOf = (yaml: string) => {
  const freshness = readFreshness(readFrontmatter(`---\n${yaml}\n---\n`).data);
  return { ...judgeConfirmations(freshness, NOW), staleAfter: freshness.staleAfter };
};

it('K-18 reads `verified` as a list or one bare map, with dates and times in any zone, quoted or not', () => {
  for (const yaml of [
    'verified: [{by: human:ana, at: 2026-11-28T10:00:00Z}]',
    'verified: {by: "human:ana", at: "2026-11-28T11:00:00+01:00"}',
    'verified:\n  by: human:ana\n  at: 2026-11-28 05:00:00-05:00',
    'verified:\n  - by: roux/1.0\n    at: 2026-11-20T00:00:00Z\n  - at: 2026-11-28t10:00:00z\n    by: human:ana',
    'properties:\n  verified: {by: human:ana, at: 2026-11-28T10:00:00Z}',
  ])
    expect(freshnessOf(yaml), yaml).toEqual({
      confirmed: { by: 'human:ana', at: AT },
      isConfirmedByPerson: true,
      misdated: null,
      staleAfter: null,
    });
  expect(freshnessOf('verified: {by: claude-code/2.0, at: 2026-11-28T10:00:00Z}')).toMatchObject({ isConfirmedByPerson: false });
});

it('K-18 what cannot be read has no effect', () => {
  const nothing = { confirmed: null, isConfirmedByPerson: false, misdated: null, staleAfter: null };
  for (const yaml of [
    'verified: yes',
    'verified: 2026-11-28',
    'verified: [yes, 3, [], {}, {by: ana}, {at: 2026-11-28}, {by: ana, at: 2026-02-30}, {by: "", at: 2026-11-28}, {by: 7, at: 8}]',
    `verified: [${'a,'.repeat(10_000)}a]`,
    'stale_after: 2026',
    'stale_after: "2026-13-01"',
    'stale_after: 2026-02-30',
    'stale_after: soon',
    'stale_after: [2026-01-01]',
  ])
    expect(freshnessOf(yaml), yaml).toEqual(nothing);
});

it('K-18 a confirmation that is dated more than a day ahead confirms nothing', () => {
  const [ahead, future] = ['2026-11-30T10:00:00.000Z', '2026-11-30T10:00:00.001Z'];
  expect(freshnessOf(`verified: {by: human:ana, at: ${ahead}}`)).toMatchObject({ confirmed: { at: ahead }, misdated: null });
  expect(freshnessOf(`verified: [{by: human:ana, at: ${future}}, {by: human:ana, at: 2099-01-01}, {by: roux/1, at: ${AT}}]`)).toEqual({
    confirmed: { by: 'roux/1', at: AT },
    isConfirmedByPerson: false,
    misdated: { by: 'human:ana', at: expect.stringMatching(/^(?:2099-01-01|2098-12-31)T/) },
    staleAfter: null,
  });
});

it('K-18 something is stale on its day and after it', () => {
  expect(freshnessOf('stale_after: 2026-11-28').staleAfter).toBe('2026-11-28');
  expect(freshnessOf('stale_after: "2026-11-28T23:30:00-05:00"').staleAfter).toBe('2026-11-28');
  expect(['2026-11-27', '2026-11-28', '2027-01-01'].map((today) => isStale({ staleAfter: '2026-11-28' }, today))).toEqual([
    false,
    true,
    true,
  ]);
  expect(isStale({ staleAfter: '9999-12-31' }, '2026-11-28')).toBe(false);
  expect(readDay(2026)).toBe(null);
});

it('K-18 a confirmation takes the place of the one before of the same actor, of any version, and of no other', () => {
  const [ana, old, other] = [
    { by: 'human:ana', at: '2026-01-01', note: 'looked' },
    { by: 'claude-code/2.0', at: '2026-01-02' },
    { by: 'process:ci', at: '2026-01-03' },
  ];
  expect(withConfirmation([ana, old, other], { by: 'claude-code/2.1', at: AT })).toEqual([ana, { by: 'claude-code/2.1', at: AT }, other]);
  const agents = [
    { by: 'agent/ada', at: '2026-01-01' },
    { by: 'agent/ben', at: '2026-01-02' },
  ];
  expect(withConfirmation(agents, { by: 'agent/ben', at: AT })).toEqual([agents[0], { by: 'agent/ben', at: AT }]);
  expect(withConfirmation(ana, { by: 'human:ana', at: AT })).toEqual({ ...ana, at: AT });
  expect(withConfirmation(ana, { by: 'human:ben', at: AT })).toEqual([ana, { by: 'human:ben', at: AT }]);
  expect(withConfirmation(['yes'], { by: 'human:ben', at: AT })).toEqual(['yes', { by: 'human:ben', at: AT }]);
  expect(withConfirmation('yes', { by: 'human:ben', at: AT })).toBe(null);
});

it('K-18 a confirmation leaves aliases, merge keys and comments of a map as they are, or is refused', () => {
  const confirm = (yaml: string, by: string): string => {
    const { data } = readFrontmatter(`---\n${yaml}---\n`);
    const value = withConfirmation(data['verified'], { by, at: AT })!;
    return applyChanges('a.md', `---\n${yaml}---\n`, [{ op: 'set', key: ['verified'], value, keepsAliases: true }]).text.slice(4, -4);
  };
  const base = 'base: &b\n  by: human:ana # me\n  at: 2026-01-01\n';
  const added = { block: `  - by: human:ben\n    at: ${AT}\n`, flow: `, { by: human:ben, at: ${AT} }]` };
  const merged = 'x: &x {n: 1}\nverified: # who\n  <<: *x # all\n  # me\n  by: human:ana\n\n  at: 2026-01-01 # then\nz: 1\n';
  expect(confirm(merged, 'human:ben')).toBe(
    `x: &x {n: 1}\nverified: # who\n  - <<: *x # all\n    # me\n    by: human:ana\n\n    at: 2026-01-01 # then\n${added.block}z: 1\n`,
  );
  expect(confirm(merged, 'human:ana')).toBe(merged.replace('at: 2026-01-01', `at: ${AT}`));
  expect(confirm(`${base}verified: *b # ok\n`, 'human:ben')).toBe(`${base}verified: [*b${added.flow} # ok\n`);
  expect(confirm(`${base}verified: [*b]\n`, 'human:ben')).toBe(`${base}verified: [*b${added.flow}\n`);
  expect(confirm(`verified: {by: human:ana, at: 2026-01-01} # ok\n`, 'human:ben')).toBe(
    `verified: [{by: human:ana, at: 2026-01-01}${added.flow} # ok\n`,
  );
  for (const yaml of [`${base}verified: *b\n`, `${base}verified: [*b]\n`, `${base}all: &a [*b]\nverified: *a\n`])
    expect(() => confirm(yaml, 'human:ana'), yaml).toThrow(/uses the YAML alias \*[ab], .* by hand first\.$/);
});

it('K-18 a confirmation leaves every other byte of a note alone, in any style and with any line ends', () => {
  const random = randomOf('confirmations');
  const entries = [
    { by: 'human:ana', at: '2026-01-01T00:00:00.000Z' },
    { by: 'claude-code/2.0', at: '2026-02-01T00:00:00.000Z' },
    { by: 'process:ci', at: '2026-03-01T00:00:00.000Z' },
  ];
  const styles = [
    (list: typeof entries) => `verified: [${list.map(({ by, at }) => `{by: ${by}, at: ${at}}`).join(', ')}]`,
    (list: typeof entries) => ['verified:', ...list.flatMap(({ by, at }) => [`  - by: "${by}"  # seen`, `    at: ${at}`])].join('\n'),
    (list: typeof entries) => ['verified:', ...list.map(({ by, at }) => `- {at: '${at}', by: ${by}}`)].join('\n'),
  ];
  for (let round = 0; round < 60; round += 1) {
    const list = entries.filter(() => random.chance(0.6));
    const style = random.pick(styles);
    const yaml = list.length === 0 ? '' : `${style(list)}\n`;
    const eol = random.chance(0.5) ? '\r\n' : '\n';
    const [before, after] = ['title:   "A  note" # mine\n', 'tags: [b,   a]\nother: {x: 1,  y: 2}\n'];
    const body = '\n# Text\n\n- [ ] a  \n';
    const text = `---\n${before}${yaml}${after}---\n${body}`.replaceAll('\n', eol);
    const by = random.chance(0.5) ? 'human:ana' : 'human:new';
    const confirm = (now: string, at: string): string => {
      const { data } = readFrontmatter(now);
      return applyChanges('a.md', now, [{ op: 'set', key: ['verified'], value: withConfirmation(data['verified'], { by, at })! }]).text;
    };
    const once = confirm(text, AT);
    expect(judgeConfirmations(readFreshness(readFrontmatter(once).data), NOW).confirmed, text).toEqual({ by, at: AT });
    for (const part of [before, after, body]) expect(once).toContain(part.replaceAll('\n', eol));
    for (const each of list.filter((entry) => entry.by !== by)) expect(once).toContain(each.at);
    const twice = confirm(once, '2026-12-24T00:00:00.000Z');
    expect(twice).toBe(once.replace(AT, '2026-12-24T00:00:00.000Z'));
  }
});
