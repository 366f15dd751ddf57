import { describe, expect, it } from 'vitest';

import { graphOf, putFile } from './graph-of.ts';
import type { GraphView } from '../../src/graph/view.ts';

function look(graph: GraphView, reference: string): string | readonly string[] | null {
  const found = graph.lookup(reference);
  if (found.kind === 'missing') return null;
  return found.kind === 'found' ? found.entry.path : found.candidates.map((entry) => entry.path);
}

describe('lookup of a reference', () => {
  it('S2-24 takes any case, with and without .md, either slash, and partial paths', () => {
    const graph = graphOf({ 'Projects/Alpha/Plan.md': '', 'Home.md': '' });
    for (const reference of [
      'Projects/Alpha/Plan.md', 'Projects/Alpha/Plan', 'projects/alpha/PLAN.MD', 'Projects\\Alpha\\Plan', '/Projects/Alpha/Plan',
      './Projects/Alpha/Plan.md', 'Alpha/Plan', 'alpha\\plan.md', 'plan', ' Plan ',
    ]) expect(look(graph, reference)).toBe('Projects/Alpha/Plan.md'); // prettier-ignore
    for (const reference of ['lpha/Plan', 'Projects/Alpha', 'Plan/', 'Plan.png', '', ' ', '/', '#'])
      expect(look(graph, reference)).toBe(null);
  });

  it('tries id, path, the end of a path, title and alias in this order', () => {
    const graph = graphOf({});
    const files: readonly (readonly [string, string])[] = [
      ['alias.md', '---\naliases: [Word]\n---\n'],
      ['title.md', '---\ntitle: Word\n---\n'],
      ['deep/Word.md', ''],
      ['Word.md', ''],
      ['id.md', '---\nid: word\n---\n'],
    ];
    for (const [path, text] of files) {
      putFile(graph, { path, text });
      expect(look(graph, 'Word')).toBe(path);
    }
  });

  it('gives the candidates, by path, when two notes fit at one level', () => {
    expect(look(graphOf({ 'b/Plan.md': '', 'a/Plan.md': '' }), 'plan')).toEqual(['a/Plan.md', 'b/Plan.md']);
    expect(look(graphOf({ 'b.md': '---\nid: t_1\n---\n', 'a.md': '---\nid: T_1\n---\n' }), 't_1')).toEqual(['a.md', 'b.md']);
    expect(look(graphOf({ 'b.md': '---\ntitle: One\n---\n', 'a.md': '---\ntitle: one\n---\n' }), 'ONE')).toEqual(['a.md', 'b.md']);
    expect(look(graphOf({ 'b.md': '---\naliases: [One]\n---\n', 'a.md': '---\naliases: [one]\n---\n' }), 'One')).toEqual(['a.md', 'b.md']);
  });

  it('S17 takes the one that is written when names differ by case or Unicode form only', () => {
    const nfd = 'Café'.normalize('NFD');
    const graph = graphOf({ 'Note.md': '', 'note.md': '', 'Café.md': '', [`${nfd}.md`]: '' });
    expect(look(graph, 'note.md')).toBe('note.md');
    expect(look(graph, 'Note.md')).toBe('Note.md');
    expect(look(graph, 'NOTE')).toEqual(['Note.md', 'note.md']);
    expect(look(graph, `${nfd}.md`)).toBe(`${nfd}.md`);
  });

  it('S19 folds titles and aliases as it folds names', () => {
    const graph = graphOf({ 'a.md': '---\ntitle: ΟΔΟΣ\naliases: [İstanbul, STRAẞE]\n---\n' });
    expect(look(graph, 'οδος')).toBe('a.md');
    expect(look(graph, 'i\u0307stanbul')).toBe('a.md');
    expect(look(graph, 'straße')).toBe('a.md');
    expect(look(graph, 'strasse')).toBe(null);
  });

  it('finds a conflict copy by its path only', () => {
    const text = '---\nid: t_1\ntitle: The plan\naliases: [Plan]\n---\n';
    const copy = 'a.sync-conflict-20260102-030405.md';
    const graph = graphOf({ 'a.md': text, [copy]: text, 'b.sync-conflict-20260102-030405-ABCDEFG.md': text });
    for (const reference of ['t_1', 'The plan', 'Plan', 'a']) expect(look(graph, reference)).toBe('a.md');
    expect(look(graph, copy)).toBe(copy);
    expect(graph.get(copy)?.id).toBe(copy);
  });

  it('forgets what a note was called before', () => {
    const graph = graphOf({ 'a.md': '---\nid: t_1\ntitle: One\naliases: [Uno]\n---\n' });
    putFile(graph, { path: 'a.md', text: '' });
    for (const reference of ['t_1', 'One', 'Uno']) expect(look(graph, reference)).toBe(null);
    graph.remove('a.md');
    expect(look(graph, 'a')).toBe(null);
  });

  it('finds hidden notes, and never attachments', () => {
    const graph = graphOf({ 'p.png': '' });
    putFile(graph, { path: 'secret.md', isHidden: true });
    expect(look(graph, 'secret')).toBe('secret.md');
    expect(look(graph, 'p.png')).toBe(null);
  });

  it('gives a note without an id its path in NFC as id', () => {
    const path = 'Café.md'.normalize('NFD');
    const graph = graphOf({ [path]: '', 'b.md': '---\nid: 42\n---\n' });
    expect(graph.get(path)?.id).toBe('Café.md'.normalize('NFC'));
    expect(look(graph, 'Café.md'.normalize('NFC'))).toBe(path);
    expect(graph.get('b.md')?.id).toBe('42');
  });
});
