import { expect, it } from 'vitest';
import { diffTexts } from '../../../src/vault/plan/unified-diff.ts';

const names = { from: 'a/n.md', to: 'b/n.md' };

it('a diff of two texts is unified, as git prints it', () => {
  expect(diffTexts(names, 'one\ntwo\n', 'one\n2\n')).toBe('--- a/n.md\n+++ b/n.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n');
});

it('texts that differ in more lines than can be compared are removed and added whole', () => {
  const all = (word: string) => Array.from({ length: 2_000 }, (_, line) => `${word} ${line}\n`);
  const [before, after] = [all('old'), all('new')];
  const body = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join('');
  const diff = diffTexts(names, before.join(''), `${after.join('')}end`);
  expect(diff).toBe(`--- a/n.md\n+++ b/n.md\n@@ -1,2000 +1,2001 @@\n${body}+end\n\\ No newline at end of file\n`);
});
