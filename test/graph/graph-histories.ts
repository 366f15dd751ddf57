import fc from 'fast-check';
import { openGraph } from '../../src/graph/open-graph.ts';
import type { CountedGraph } from '../../src/graph/graph.ts';
import { isNotePath } from '../../src/note/path.ts';
import type { NotePath } from '../../src/note/path.ts';
import { fileFacts, noteOf, putFile } from './graph-of.ts';

const NFD = 'Ünï'.normalize('NFD');
const NOTES = [
  'Note.md', 'note.md', 'a/Note.md', 'a/b/Note.md', 'b/Note.md', 'a/ΟΔΟΣ.md', 'b/οδος.md', 'Ünï.md', `a/${NFD}.md`,
  'p.png.md', 'a/Note.md.md', 'b/Note.sync-conflict-20260101-101010.md', 'a/Deep.md', 'b/Deep.md', 'index.md', 'a/index.md', 'a/b/index.md', 'b/log.md',
]; // prettier-ignore
const ATTACHMENTS = ['p.png', 'a/p.png', 'b/P.png', 'only.canvas', 'a/Note'];
const LINKPATHS = [
  'Note', 'note', 'Note.md', 'note.md', 'a/Note', 'b/note', './Note', '../Note', '/Note', '/a/Note', 'οδοσ', 'ΟΔΟΣ', 'Ünï', NFD,
  'p.png', 'p', 'only.canvas', 'Missing', 'missing', 'Missing.md', '', 'Deep', 'b/Deep', './..', '../../x', 'My title', 'a', 'index', 'log', 'a/', 'b/', 'b/index.md', '/b/Note.md', 'index.md', 'Deep.md',
]; // prettier-ignore
const TAGS = ['x', 'X', 'x/y', 'X/Y/z', 'other'];
/** What the graphs of these histories are asked. */
export const QUESTIONS = {
  linkpaths: LINKPATHS,
  references: ['Note', 'NOTE.MD', 'a\\note', './Note.md', 'My title', 'my TITLE', 'Nick', 't_1', 'T_1', 'nothing', '', 'οδος', NFD, 'index'],
  tags: ['x', '#X/Y', 'other', 'none'],
  types: ['task', 'person'],
  properties: ['status', 'n', 'm', 'list', 'type', 'none'],
}; // prettier-ignore

const frontmatter = fc.record(
  {
    id: fc.constantFrom('t_1', 'T_1', 't_2'),
    title: fc.constantFrom('My title', 'my title', 'Note', 'Other'),
    aliases: fc.constantFrom('[Nick]', '[My title, Nick]', '[]'),
    tags: fc.subarray(TAGS).map((tags) => `[${tags.join(', ')}]`),
    type: fc.constantFrom('task', 'person'),
    status: fc.constantFrom('done', 'open', '[done, open]', '{ done: 1 }'),
    okf_version: fc.constantFrom('"0.2"', '0.2', '""'),
    n: fc.constantFrom('1', '"1"', 'null'),
    m: fc.constantFrom('{ k: true }', '{ k: [true, 1] }', '1'),
    list: fc.constantFrom('[done]', '[]'),
    up: fc.constantFrom('"[[Note]]"', '["[[a/Note]]", "[[Missing]]"]'),
  },
  { requiredKeys: [] },
);
const linkText = fc.tuple(fc.constantFrom('', '!'), fc.constantFrom(...LINKPATHS), fc.constantFrom('', '#h', '#^b')).map(([mark, linkpath, subpath]) => {
  return linkpath === '' && subpath === '' ? '[[#h]]' : `${mark}[[${linkpath}${subpath}]]`;
}); // prettier-ignore
const noteText = fc.tuple(frontmatter, fc.array(linkText, { maxLength: 5 }), fc.constantFrom('', '# One\n\n## Two ^blk\n', '#x inline\n')).map(([keys, links, more]) => {
  const yaml = Object.entries(keys).map(([key, value]) => `${key}: ${value}\n`);
  return `${yaml.length > 0 ? `---\n${yaml.join('')}---\n` : ''}${links.join(' and ')}\n\n${more}`;
}); // prettier-ignore

export type Step =
  | { readonly kind: 'put'; readonly path: string; readonly text: string; readonly isHidden: boolean }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'move'; readonly path: string; readonly to: string; readonly text: string; readonly isHidden: boolean };

const notePath = fc.constantFrom(...NOTES);
const isHidden = fc.constantFrom(false, false, false, true);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), path: notePath, text: noteText, isHidden }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('put' as const), path: fc.constantFrom(...ATTACHMENTS), text: fc.constant(''), isHidden }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom(...NOTES, ...ATTACHMENTS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path: notePath, to: notePath, text: noteText, isHidden }) },
); // prettier-ignore
/** Some steps alone, some together in a batch, some with questions asked in between. */
export const history = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), isBatch: fc.boolean(), isAsked: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

/** What there is after some steps, by path. */
export type Files = Map<string, { path: string; text: string; isHidden: boolean }>;

/** Takes a step with a graph, and notes what there is then. */
export function take(graph: CountedGraph, files: Files, taken: Step): void {
  if (taken.kind === 'remove') {
    graph.remove(taken.path);
    files.delete(taken.path);
  } else if (taken.kind === 'put') {
    putFile(graph, taken);
    files.set(taken.path, { path: taken.path, text: taken.text, isHidden: taken.isHidden && isNotePath(taken.path) });
  } else {
    graph.move(taken.path as NotePath, noteOf(taken.to, taken.text), fileFacts(taken.isHidden));
    files.delete(taken.path);
    files.set(taken.to, { path: taken.to, text: taken.text, isHidden: taken.isHidden });
  }
}

/** A graph of these files, all at once or one after the other. */
export function rebuilt(files: Iterable<{ path: string; text: string; isHidden: boolean }>, isBatch: boolean): CountedGraph {
  const graph = openGraph();
  const putAll = (): void => {
    for (const file of files) putFile(graph, file);
  };
  if (isBatch) graph.batch(putAll);
  else putAll();
  return graph;
}
