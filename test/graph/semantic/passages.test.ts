import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PASSAGES, splitIntoPassages } from '../../../src/graph/semantic/passages.ts';
import { cpuMs, runs } from '../../support/effort.ts';

const long = (word: string, count = 150): string => Array.from({ length: count }, (_, at) => `${word}${at}`).join(' ');

describe('passages', () => {
  it('a short note is one: its title, then its text without frontmatter', () => {
    expect(splitIntoPassages({ title: 'Soup', text: '---\ntags: [x]\n---\nNeeds **patience** and [[Salt|sea salt]].\n' })).toEqual([
      { section: '', text: 'Soup\nNeeds patience and sea salt.', start: 18 },
    ]);
    expect(splitIntoPassages({ title: 'Empty', text: '' })).toEqual([{ section: '', text: 'Empty\n', start: 0 }]);
  });

  it('what a long note says later is found by its section, which is named as links name it', () => {
    const text = `${long('intro')}\n\n# Setup\n\n${long('setup', 40)}\n\n## On Linux: all\n\n${long('linux', 40)}\n\n# Use\n\n${long('use', 40)}\n`;
    const passages = splitIntoPassages({ title: 'Manual', text });
    expect(passages[0]?.section).toBe('');
    expect([...new Set(passages.map(({ section }) => section))]).toEqual(['', 'Setup', 'Setup#On Linux all', 'Use']);
    const linux = passages.find(({ section }) => section === 'Setup#On Linux all');
    expect(linux?.text).toMatch(/^Manual: Setup, On Linux all\nOn Linux: all linux0 /);
    expect(text.slice(linux?.start)).toMatch(/^## On Linux: all/);
  });

  it('no text is in two passages, and none is left out but a rest of a few words', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 8 }), fc.boolean(), (sections, hasIntro) => {
        const written = sections.map((count, at) => long(`s${at}w`, count + 8));
        const text = written.map((words, at) => (at === 0 && hasIntro ? words : `# S${at}\n\n${words}`)).join('\n\n');
        const found = splitIntoPassages({ title: 'T', text }).flatMap((passage) => passage.text.match(/\bs\d+w\d+\b/g) ?? []);
        expect(found).toHaveLength(new Set(found).size);
        for (const words of written) expect(words.split(' ').filter((word) => !found.includes(word)).length).toBeLessThan(8);
      }),
      { numRuns: runs(60) },
    );
  });

  it('sections of a few words stand together, under the heading that came first', () => {
    const text = `${long('intro')}\n\n${Array.from({ length: 6 }, (_, at) => `## Step ${at}\n\nDo thing number ${at} with care today.\n\n`).join('')}`;
    const sections = splitIntoPassages({ title: 'T', text }).map(({ section }) => section);
    expect(sections.length).toBeLessThan(6);
    expect(sections).toContain('Step 0');
  });

  it('scripts without spaces are cut as well, and no more than so many passages are made', () => {
    const passages = splitIntoPassages({ title: '汉', text: '汉字'.repeat(2000) });
    expect(passages).toHaveLength(MAX_PASSAGES);
    expect(passages[0]!.text.length).toBeLessThan(250);
  });

  it('any text is cut into bounded pieces in its order, soon', () => {
    const piece = fc.oneof(fc.constantFrom('# A\n', '## B\n', '\n', '---\n', '[[', ']]', '```\n', '- x\n', ' '), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.string(), (pieces, title) => {
        const text = pieces.join('').repeat(5);
        const passages = splitIntoPassages({ title, text });
        expect(passages.length).toBeGreaterThan(0);
        expect(passages.length).toBeLessThanOrEqual(MAX_PASSAGES);
        for (const [at, { start }] of passages.entries()) expect(start).toBeGreaterThanOrEqual(passages[at - 1]?.start ?? 0);
      }),
      { numRuns: runs(200) },
    );
    const before = cpuMs();
    for (const text of [
      '[['.repeat(500_000),
      '# '.repeat(500_000),
      `${'*'.repeat(1_000_000)}`,
      `${' '.repeat(1_000_000)}x`,
      '- '.repeat(500_000),
      '](('.repeat(300_000),
    ])
      splitIntoPassages({ title: 'x', text });
    expect(cpuMs() - before).toBeLessThan(5_000);
  });
});
