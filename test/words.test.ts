import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Words of an earlier dialect, each with the word that the field uses. Plurals are listed, because they slip through. */
const UNUSED: Readonly<Record<string, string>> = {
  told: 'replay cache, reported',
  tells: 'reports',
  kept: 'retained, cached, saved',
  keepup: 'prefetch',
  stands: 'is',
  stood: 'was',
  standing: 'checkpoint, state',
  standings: 'checkpoints, states',
  somebody: 'user, agent, process',
  nobody: 'none',
  whoever: 'caller',
  anew: 'again, retry',
  fate: 'missing note',
  fates: 'missing notes',
  rhythm: 'schedule',
  meet: 'sync',
  meets: 'syncs',
  deciding: 'commit session',
  unplaced: 'blocked changes',
  twin: 'case collision',
  twins: 'case collisions',
  stock: 'inventory',
  former: 'previous',
  sight: 'visibility, scope',
  readings: 'read log',
  beginnings: 'excerpts',
  seam: 'boundary',
  seams: 'boundaries',
  engine: 'embedder',
  engines: 'embedders',
  rival: 'competing fact',
  rivals: 'competing facts',
  holders: 'name index',
  era: 'protocol version',
  eras: 'protocol versions',
  inks: 'palette',
};

/** Names in which such a word is right, or that are changed with their room. */
const ALLOWED: ReadonlySet<string> = new Set();

const root = join(import.meta.dirname, '..');

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** Returns what is wrong with a name, or null. */
function findFault(name: string): string | null {
  if (ALLOWED.has(name)) return null;
  const word = wordsOf(name).find((each) => Object.hasOwn(UNUSED, each));
  return word === undefined ? null : `${name}: say "${UNUSED[word]}" for "${word}"`;
}

const EXPORT = /^export (?:default )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
/** A limit is named `MAX_…` or `MIN_…`, with its unit. */
const OTHER_LIMIT = /^(?:export )?const ((?:MOST|LEAST|LONGEST|DEEPEST|FEW)(?:_\w+)?) =/gm;

/** Returns the faults in the names of a source file: its path below `src`, its exports and its limits. */
function checkFile(path: string, text: string): readonly string[] {
  const names = [...path.replace(/^src\//, '').split('/'), ...[...text.matchAll(EXPORT)].map(([, name = '']) => name)];
  const limits = [...text.matchAll(OTHER_LIMIT)].map(([, name = '']) => `${name}: say "MAX_…" or "MIN_…", with the unit`);
  return [...names.flatMap((name) => findFault(name) ?? []), ...limits].map((fault) => `${path}: ${fault}`);
}

describe('the words of the source', () => {
  it('names files, exports and limits with the words of the field', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .map((name) => `src/${name.replaceAll('\\', '/')}`)
      .filter((path) => /\.tsx?$/.test(path));
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((path) => checkFile(path, readFileSync(join(root, path), 'utf8')))).toEqual([]);
  });

  it('finds a word in the name of a file, of an export in any style, and of a limit', () => {
    expect(checkFile('src/vault/twins/engines.ts', 'export class EraOfLine {}\nexport const MOST_KEPT = 3;\n')).toHaveLength(5);
    expect(checkFile('src/vault/camera.ts', 'export function keepOperating(): void {}\nexport const MAX_NAMES = 3;\n')).toEqual([]);
  });
});
