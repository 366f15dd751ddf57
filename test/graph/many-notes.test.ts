import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGraph } from '../../src/graph/open-graph.ts';
import { folderOf, isNotePath, isVaultPath } from '../../src/note/path.ts';
import { filesOf, vaultsInTurn } from '../support/vaults.ts';
import { putFile } from './graph-of.ts';
import { foldFiles, resolvePlainly } from './links/resolve-plainly.ts';

describe('vaults of many notes', () => {
  for (const vault of vaultsInTurn(0)) {
    const { name, root, isThere, isReal } = vault;
    it.skipIf(!isThere)(`${name}: every link leads where the rules say, and can be followed back`, () => {
      const files = filesOf(vault).filter(isVaultPath);
      const graph = openGraph();
      graph.batch(() => {
        for (const path of files) putFile(graph, { path, text: isNotePath(path) ? readFileSync(join(root, path), 'utf8') : '' });
      });
      const folded = foldFiles(files);
      const expected = new Map<string, string | null>();
      let followed = 0;
      const backlinks = new Map<string, number>();
      for (const { path } of graph.entries()) {
        for (const { linkpath, target } of graph.links(path)) {
          const found = target.kind === 'unresolved' ? null : target.path;
          // Links of one folder that say the same lead to the same.
          const key = linkpath === '' ? path : `${folderOf(path)}\n${linkpath}`;
          if (!expected.has(key)) expected.set(key, resolvePlainly(folded, { linkpath, from: path }));
          expect([path, linkpath, found]).toEqual([path, linkpath, expected.get(key)]);
          if (found !== null) backlinks.set(found, (backlinks.get(found) ?? 0) + 1);
          followed += 1;
        }
      }
      expect(followed).toBeGreaterThan(isReal ? 100 : 30);
      for (const path of files) expect([path, graph.backlinks(path).length]).toEqual([path, backlinks.get(path) ?? 0]);
      expect(graph.size + [...graph.attachments()].length).toBe(files.length);
    });
  }
});
