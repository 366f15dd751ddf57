import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { expect, it } from 'vitest';
import { Assets } from '../../src/importing/chats/chatgpt/assets.ts';
import { showMessage } from '../../src/importing/chats/chatgpt/message.ts';
import { listMemories } from '../../src/importing/chats/claude/projects.ts';
import { toPrettyJson } from '../../src/importing/chats/json.ts';
import { formatTranscript } from '../../src/importing/chats/transcript.ts';
import { Tally } from '../../src/importing/imported.ts';
import { cleanLine } from '../../src/importing/text/clean.ts';
import { quiet } from '../../src/importing/text/quiet.ts';
import { tame } from '../../src/importing/text/tame.ts';
import { parseMarkdown } from '../../src/note/markdown/markdown-tree.ts';
import { IMAGE, said, strangersText } from './said.ts';
import { cpuMs } from '../support/effort.ts';

/** What a text shows or runs when it is read as Markdown. */
function liveIn(text: string): readonly string[] {
  const live: string[] = [];
  const open: Nodes[] = [parseMarkdown(text)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'html' || node.type === 'image' || node.type === 'imageReference') live.push(node.type);
    const isMath = text.startsWith('$', node.position?.start.offset ?? 0);
    if (node.type === 'inlineCode' && !isMath && /^\s*\$?=/.test(node.value)) live.push(node.value);
    if (node.type === 'code' && /^(?:dataview|query|base|tasks)/.test(node.lang ?? '')) live.push(node.lang ?? '');
    if ('children' in node) open.push(...node.children);
  }
  return live;
}

it('O-06 whatever somebody said: it runs nothing and fetches nothing, also where blocks and code end earlier than their lines look', () => {
  fc.assert(
    fc.property(strangersText, (given) => {
      expect(liveIn(said(given))).toEqual([]);
    }),
    { numRuns: 1500 },
  );
});

it.each([
  ['a list item that ends its code', '- ```\n```dataviewjs\nx\n```'],
  ['code that a quote holds', '> ```dataviewjs\n> x\n> ```'],
  ['marks that are indented too far to open code', `x\n    \`\`\`\n${IMAGE}\n![](https://tracker.example/p.png)`],
  ['marks that are indented too far to close code', `\`\`\`\n    \`\`\`\n\`\`\`\n${IMAGE}`],
  ['a span of code over two lines', `a \`b\nc\` ${IMAGE} \`d`],
  ['a query of Dataview over two lines', '`\n$= dv.pages()`'],
  ['two backslashes', `\\\\${IMAGE}`],
  ['an address that takes the backslash', `https://a.example/${IMAGE}`],
  ['more backticks than any code has', `\\[\n\`\`\`\n\\]\n${'`'.repeat(5_000)}\n${IMAGE}\n\n\`\`\`dataviewjs\nx\n\`\`\``],
  ['code behind thousands of blocks', `\\[\n${'```\n'.repeat(10_001)}\\]\n${'`'.repeat(9)}\n${IMAGE}`],
  ['a cell that ends its code', `| a | b |\n|---|---|\n| \`x | ${IMAGE}\` |`],
])('O-06 a stranger runs and shows nothing by %s', (_, text) => {
  expect(liveIn(said(text))).toEqual([]);
});

it('O-06 a formula that holds code is code', () => {
  expect(quiet('\\[\n```dataviewjs\nx\n```\n\\]')).toBe('````markdown\n\\[\n```dataviewjs\nx\n```\n\\]\n````');
});

it('O-06 what is said behind an address stays readable, and orders to Templater are none', () => {
  expect(quiet('see https://a.example/c<br>next')).toBe('see https://a.example/c \\<br>next');
  expect(quiet('<%* tp.file.move("x") %>')).toBe('<\\%* tp.file.move("x") %>');
  expect(quiet('in [[#Part|part]] of it')).toBe('in \\[\\[\\#Part|part]] of it');
  expect(quiet('as \\#fff')).toBe('as \\\\\\#fff');
  expect(cleanLine('<% tp.date.now() %>')).toBe('< % tp.date.now() %>');
});

it('O-06 in pages of yours, no block or span of code runs wherever it stands, and the rest stays', () => {
  expect(tame('1. ```dataviewjs\n   x\n   ```\n')).toBe('1. ```text dataviewjs\n   x\n   ```\n');
  expect(tame('- ```\n```dataviewjs\nx\n```')).toBe('- ```\n```text dataviewjs\nx\n```');
  expect(tame('[[a]] #b `\n$= x` <b>')).toBe('[[a]] #b \\`\n$= x\\` <b>');
});

it('O-06 citations and JSON that are made to grow stay small, and thousands of versions take no time', () => {
  const { tally, assets, files } = {
    tally: new Tally(),
    assets: new Assets({ files: [], left: [], name: '', close: () => Promise.resolve() }),
    files: new Set<string>(),
  };
  const mark = (number: number): string => `\ue200cite${number}\ue201`;
  const references = Array.from({ length: 60 }, (_, at) => ({ matched_text: mark(at), alt: mark(at + 1).repeat(2) }));
  const message = (parts: readonly string[], more: object) => ({
    author: { role: 'assistant' },
    content: { content_type: 'text', parts },
    metadata: more,
  });
  const [doubled] = showMessage(message([mark(0)], { content_references: references }), { tally, assets, files });
  expect(doubled?.body.length ?? 0).toBeLessThan(1_000);
  const [repeated] = showMessage(
    message([mark(0).repeat(10_000)], { content_references: [{ matched_text: mark(0), alt: 'x'.repeat(10_000) }] }),
    { tally, assets, files },
  );
  expect(repeated?.body.length).toBe(1_000_000);
  let deep: unknown = Array.from({ length: 100_000 }, () => 1);
  for (let level = 0; level < 390; level += 1) deep = [deep];
  expect(toPrettyJson(deep).length).toBeLessThan(1_000_000);
  const count = 100_000;
  const nodes = Array.from({ length: 2 * count }, (_, at) => ({
    id: `${at}`,
    parent: at === 0 ? null : at < count ? `${at - 1}` : `${at - count}`,
    at,
  }));
  const before = cpuMs();
  const text = formatTranscript({ nodes, current: `${count - 1}`, show: () => [{ type: 'user', title: 'x', body: 'y' }] }, tally);
  expect(text).toContain(`### Version ${count}, after message ${count}\n`);
  expect(cpuMs() - before).toBeLessThan(20_000);
});

it('O-06 the name of a file that Claude remembers stays in the title of its callout', () => {
  const [note] = listMemories([{ memory_files: [{ path: `\`\`\`js ${IMAGE}`, content: 'x' }] }], []);
  expect(note?.body.split('\n')).toEqual([expect.stringMatching(/^> \[!memory\] /), '> x', '']);
  expect(liveIn(note?.body ?? '')).toEqual([]);
});
