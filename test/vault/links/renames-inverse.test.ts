import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRenames } from '../../../src/vault/links/renames/plan-renames.ts';
import { runs } from '../../support/effort.ts';
import { carryOut, contextOf, linkTargets } from './planned-vault.ts';
import type { Files } from './planned-vault.ts';
import { chooseRenames, inverseOf, randomChoice, randomVault } from './renames-random.ts';

const minimal = { style: { format: 'minimal', markdown: false } } as const;

/** Where every link leads, by the text of its file's first line: files have other names afterwards. */
const targetsIn = (files: Files, nameOf: (path: string) => string) =>
  Object.fromEntries(Object.entries(linkTargets(files)).map(([source, targets]) => [nameOf(source), targets.map(nameOf)]));

describe('any mix of renames', () => {
  it('E-14 followed by its inverse gives the same bytes, and no link leads elsewhere in between', () => {
    fc.assert(
      fc.property(randomVault, randomChoice, (files, choice) => {
        const changes = chooseRenames(files, choice);
        const plan = planRenames(contextOf(files, minimal), changes);
        const there = carryOut(files, plan);
        const moved = new Map(plan.files.flatMap((file) => (file.kind === 'move' ? [[file.from, file.to]] : [])));
        const placeOf = (path: string): string => moved.get(path) ?? path;
        expect(targetsIn(there, (path) => path)).toEqual(targetsIn(files, placeOf));
        const back = planRenames(contextOf(there, minimal), inverseOf(changes, plan.renamed, there));
        expect(carryOut(there, back)).toEqual(files);
      }),
      { numRuns: runs(300) },
    );
  });
});
