import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveLinkpath } from '../../../src/graph/links/resolve.ts';
import { shared } from '../../support/vault.ts';
import { graphOf } from '../graph-of.ts';
import { lookupOf } from './lookup-of.ts';

interface ResolveCase {
  readonly id: string;
  readonly area: string;
  readonly title: string;
  readonly linkpath: string;
  readonly source: string;
  readonly expected: string | null;
}

const casesFile = shared('design/cases.json');
const hasCases = existsSync(casesFile);
const { miniVault, cases } = hasCases
  ? (JSON.parse(readFileSync(casesFile, 'utf8')) as { miniVault: string[]; cases: ResolveCase[] })
  : { miniVault: [], cases: [] };

describe.skipIf(!hasCases)('shared resolution cases', () => {
  for (const { id, title, linkpath, source, expected } of cases.filter(({ area }) => area === 'resolve')) {
    it(`${id} ${title}`, () => {
      expect(resolveLinkpath(lookupOf(miniVault), { linkpath, from: source }).path).toBe(expected);
      const graph = graphOf(Object.fromEntries(miniVault.map((path) => [path, ''])));
      const target = graph.resolve({ linkpath, from: source });
      expect(target.kind === 'unresolved' ? null : target.path).toBe(expected);
    });
  }
});
