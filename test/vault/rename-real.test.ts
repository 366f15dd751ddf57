import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { planMoves } from '../../src/vault/links/move.ts';
import { planFolderMove } from '../../src/vault/links/rename.ts';
import { carryOut, contextOf, linkTargets } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';

const vaults = fileURLToPath(new URL('../../../shared/vaults/', import.meta.url));
const isPresent = statSync(vaults, { throwIfNoEntry: false }) !== undefined;

/** Notes with their texts, other files by name only. */
function readVault(name: string): Files {
  const root = `${vaults}${name}/`;
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length).replace(/^\//, ''))
    .filter((path) => !path.split('/').some((segment) => segment.startsWith('.')));
  return Object.fromEntries(paths.map((path) => [path, /\.(?:md|canvas|base)$/.test(path) ? readFileSync(root + path, 'utf8') : '']));
}

describe.skipIf(!isPresent)('renames in real vaults', () => {
  for (const name of ['obsidian-help-en', 'obsidian-help-zh', 'kepano']) {
    for (const format of ['minimal', 'shortest', 'relative', 'absolute'] as const) {
      it(`keeps every link of ${name} where it leads, and every other line as it is (${format})`, () => {
        const files = readVault(name);
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

  it('moves a folder of obsidian-help-en there and back without a trace (minimal)', () => {
    const files = readVault('obsidian-help-en');
    const style = { style: { format: 'minimal', markdown: false } } as const;
    const folder = 'Editing and formatting';
    expect(Object.keys(files).some((path) => path.startsWith(`${folder}/`))).toBe(true);
    const there = carryOut(files, planFolderMove(contextOf(files, style), folder, 'Elsewhere/Editing'));
    expect(Object.keys(there).some((path) => path.startsWith(`${folder}/`))).toBe(false);
    expect(carryOut(there, planFolderMove(contextOf(there, style), 'Elsewhere/Editing', folder))).toEqual(files);
  });
});
