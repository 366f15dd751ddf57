import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNameVariants } from '../../../src/ops/care/alike/name-variants.ts';
import { similarity, sketchText } from '../../../src/ops/care/alike/text-sketch.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const words = (from: number, count: number): string => Array.from({ length: count }, (_, index) => `word${from + index}`).join(' ');

const NOTES = {
  'Salt.md': '---\ntags: [a]\n---\nThe same text.\n',
  'old/Salt road.md': 'The   same text.\n\n',
  'Long.md': `${words(0, 200)}\n`,
  'Longer.md': `${words(0, 190)} and another end of it\n`,
  'Other.md': `${words(500, 200)}\n`,
  'Long 2.md': `${words(800, 200)}\n`,
  'Plan.md': 'Mine.\n',
  'Plan copy.md': 'Another.\n',
  'Plan 2.md': 'A second one.\n',
  'a/Plan.bak.md': 'Of then.\n',
  'b/plan.md': 'In another case.\n',
  'Part 1.md': 'First.\n',
  'Part 2.md': 'Second.\n',
  '2026-01.md': 'A month.\n',
  '2026-01-02.md': 'A day.\n',
  'empty.md': '',
  'blank.md': '---\ntags: [x]\n---\n\n',
};

describe('duplicates', () => {
  it('A-11 finds equal texts, nearly equal ones and the names of copies in one call, without embeddings, and only on request', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { findings, counts } = await ask('vault_health', { kinds: ['duplicate'] });
        const found = findings.map(({ paths, message }: { paths: string[]; message: string }) => [paths.toSorted(), message]);
        expect(found).toEqual([
          [['Salt.md', 'old/Salt road.md'], expect.stringMatching(/have the same text, but not the same properties$/)],
          [['Long.md', 'Longer.md'], expect.stringMatching(/nearly the same text \((?:8|9)\d %\)$/)],
          ...[
            ['Plan 2.md', 'Plan.md'],
            ['Plan copy.md', 'Plan.md'],
            ['Plan.md', 'a/Plan.bak.md'],
            ['Plan.md', 'b/plan.md'],
          ].map((paths) => [paths, expect.stringMatching(/as a note and its copy do$/)]),
        ]);
        expect(counts).toEqual({ duplicate: 6 });
        expect((await ask('vault_health')).counts).not.toHaveProperty('duplicate');
        const { stdout, status } = await cli(['duplicates', '--limit', '1', '--vault', vault.root]);
        expect([stdout.trim().split('\n').length, status]).toEqual([1, 0]);
        expect(stdout).toContain('have the same text');
      }),
    ));

  it('A-11 a pair is told once, and a copy with its own name too as equal', () =>
    withVault({ 'a.md': `${words(0, 50)}\n`, 'a copy.md': `${words(0, 50)}\n`, 'a copy 2.md': `${words(0, 50)}\n` }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { findings } = await ask('vault_health', { kinds: ['duplicate'] });
        expect(findings).toEqual([
          {
            kind: 'duplicate',
            paths: expect.arrayContaining(['a.md', 'a copy.md', 'a copy 2.md']),
            message: expect.stringMatching(/are the same$/),
          },
        ]);
      }),
    ));
});

describe('how alike texts and names are', () => {
  it('estimates the share of common runs of words', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 1_000 }), (percent, seed) => {
        const common = words(seed * 10_000, percent * 5);
        const rest = (of: number) => words(seed * 10_000 + of * 1_000, 500 - percent * 5);
        const [a, b] = [sketchText(`${common} ${rest(1)}`), sketchText(`${common} ${rest(2)}`)];
        const share = percent / (200 - percent);
        expect(Math.abs(similarity(a ?? [], b ?? []) - share)).toBeLessThan(0.3);
        expect(similarity(a ?? [], a ?? [])).toBe(1);
      }),
    ));

  it.each([
    ['Chinese', '这是一篇关于知识管理和笔记之间的联系的文章我们讨论如何把想法变成可以操作的对象', '并且'],
    ['Thai', 'การจัดการความรู้และการเชื่อมโยงระหว่างบันทึกเป็นสิ่งสำคัญมากสำหรับทุกคนที่ต้องการเรียนรู้', 'ครับ'],
  ])('compares texts without spaces: %s', (_, text, more) => {
    expect(similarity(sketchText(text) ?? [], sketchText(text + more) ?? [])).toBeGreaterThan(0.8);
  });

  it('takes a number for a copy only beside a note of that name in words', () => {
    expect(findNameVariants(['x/Note.md', 'y/Note 2.md', 'Copy of Note.md', 'Photocopy.md', 'Photo.md', 'Copy.md'])).toEqual([
      { path: 'Copy of Note.md', original: 'x/Note.md', isCopy: true },
    ]);
    expect(findNameVariants(['Note.md', 'Note - Copy (2).md', 'Note (1).md'])).toHaveLength(2);
  });
});
