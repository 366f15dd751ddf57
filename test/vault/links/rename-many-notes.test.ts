import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planMoves } from '../../../src/vault/links/move.ts';
import { filesOf, vaultsNamed } from '../../support/vaults.ts';
import type { ManyNotes } from '../../support/vaults.ts';
import { carryOut, contextOf, linkTargets, planFolderMove } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

/** Notes with their texts, other files by name only. */
function readVault(vault: ManyNotes): Files {
  const paths = filesOf(vault).filter((path) => !path.split('/').some((segment) => segment.startsWith('.')));
  return Object.fromEntries(
    paths.map((path) => [path, /\.(?:md|canvas|base)$/.test(path) ? readFileSync(join(vault.root, path), 'utf8') : '']),
  );
}

describe('renames in vaults of many notes', () => {
  for (const vault of vaultsNamed('every-link', 'library', 'chinese', 'manual', 'obsidian-help-en', 'obsidian-help-zh', 'kepano')) {
    const { name, isThere } = vault;
    for (const format of ['minimal', 'shortest', 'relative', 'absolute'] as const) {
      it.skipIf(!isThere)(`keeps every link of ${name} where it leads, and every other line as it is (${format})`, () => {
        const files = readVault(vault);
        const context = contextOf(files, { style: { format, markdown: false } });
        const before = linkTargets(files);
        const linked = [...context.graph.entries()]
          .map((entry) => ({ path: entry.path, count: context.graph.backlinks(entry.path).length }))
          .toSorted((a, b) => b.count - a.count);
        for (const { path } of linked.slice(0, format === 'minimal' ? 2 : 1)) {
          const to = path.replace(/[^/]+\.md$/, "Zwischen Ü's $& (1).md");
          const plan = planMoves(context, [{ from: path, to }]);
          const after = carryOut(files, plan);
          const moved = (target: string): string => (target === path ? to : target);
          const expected = Object.fromEntries(Object.entries(before).map(([source, targets]) => [moved(source), targets.map(moved)]));
          expect(linkTargets(after)).toEqual(expected);
          const unlinked = Object.keys(files).filter(
            (source) => source !== path && !(before[source] ?? []).includes(path) && !source.endsWith('.canvas'),
          );
          expect(unlinked.filter((source) => after[source] !== files[source])).toEqual([]);
          for (const [source, text] of Object.entries(files)) {
            expect(after[moved(source)]?.split('\n').length).toBe(text.split('\n').length);
          }
        }
      });
    }
  }

  const folders: Readonly<Record<string, string>> = { 'every-link': 'Places', 'obsidian-help-en': 'Editing and formatting' };
  for (const vault of vaultsNamed(...Object.keys(folders))) {
    it.skipIf(!vault.isThere)(`moves a folder of ${vault.name} there and back without a trace (minimal)`, () => {
      const files = readVault(vault);
      const style = { style: { format: 'minimal', markdown: false } } as const;
      const folder = folders[vault.name] ?? '';
      expect(Object.keys(files).some((path) => path.startsWith(`${folder}/`))).toBe(true);
      const there = carryOut(files, planFolderMove(contextOf(files, style), folder, 'Elsewhere/Editing'));
      expect(Object.keys(there).some((path) => path.startsWith(`${folder}/`))).toBe(false);
      expect(carryOut(there, planFolderMove(contextOf(there, style), 'Elsewhere/Editing', folder))).toEqual(files);
    });
  }
});
