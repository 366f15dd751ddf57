import { describe, expect, it } from 'vitest';
import { compareGraphs, findDrift } from '../../src/vault/verify.ts';
import type { Graph } from '../../src/graph/graph.ts';
import { hashOf } from '../../src/store/folder/hash.ts';
import { openNodeFileSystem } from '../../src/store/folder/node-file-system.ts';
import { fileFacts, graphOf as graphOfFiles, noteOf } from '../graph/graph-of.ts';
import { withVault } from '../support/vault.ts';

/** With the hashes that files of these texts have. */
const put = (graph: Graph, path: string, text: string): void =>
  graph.put(noteOf(path, text), { ...fileFacts(), hash: hashOf(Buffer.from(text)) });
const graphOf = (all: Readonly<Record<string, string>>): Graph => {
  const graph = graphOfFiles(all);
  for (const [path, text] of Object.entries(all)) if (path.endsWith('.md')) put(graph, path, text);
  return graph;
};

const files = { 'a.md': '[[b]] and [[i.png]]', 'b.md': '---\nid: n_b\n---\n# H', 'c.md': 'same', 'i.png': '' };

describe('compareGraphs', () => {
  it('finds nothing between graphs of the same files, in whatever order they came', () => {
    const turned = Object.fromEntries(Object.entries(files).reverse());
    expect(compareGraphs(graphOf(files), graphOf(turned))).toEqual([]);
  });

  it('names what one side lacks, holds otherwise, or links elsewhere', () => {
    const { 'i.png': _, ...others } = files;
    expect(compareGraphs(graphOf(files), graphOf({ ...others, 'c.md': 'other', 'd.md': '' }))).toEqual(['a.md', 'c.md', 'd.md', 'i.png']);
    const linked = { 'a.md': '[[q]]', 'x/q.md': '' };
    expect(compareGraphs(graphOf(linked), graphOf({ ...linked, 'y/q.md': '' }))).toEqual(['a.md', 'y/q.md']);
  });
});

describe('findDrift', () => {
  it('names the notes that a graph has otherwise than the disk', () =>
    withVault(files, async ({ root }) => {
      const graph = graphOf(files);
      put(graph, 'ghost.md', 'was never there');
      put(graph, 'c.md', 'before');
      const drift = await findDrift({
        files: openNodeFileSystem(root),
        graph,
        isHidden: () => false,
        held: new Map(),
        catchUp: () => Promise.resolve(),
      });
      expect(drift).toEqual(['c.md', 'ghost.md']);
    }));

  it('names the notes of a folder that a graph takes for a bundle and the disk does not', () =>
    withVault({ 'k/index.md': 'Home.\n', 'k/a.md': '[b](/b.md)\n', 'k/b.md': '' }, async ({ root }) => {
      const graph = graphOf({ 'k/index.md': '---\nokf_version: "0.2"\n---\n', 'k/a.md': '[b](/b.md)\n', 'k/b.md': '' });
      const options = { files: openNodeFileSystem(root), isHidden: () => false, held: new Map(), catchUp: () => Promise.resolve() };
      expect(await findDrift({ ...options, graph })).toEqual(['k/a.md', 'k/index.md']);
    }));
});
