import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './support/vault.ts';

/** Who may import whom (docs/architecture.md). A folder may always import itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  ports: [],
  nearest: [],
  note: ['errors'],
  config: ['errors', 'nearest', 'note'],
  disk: ['errors', 'ports', 'note'],
  graph: ['errors', 'ports', 'note'],
  vault: ['errors', 'ports', 'config', 'note', 'disk', 'graph'],
  ops: ['errors', 'ports', 'nearest', 'config', 'note', 'graph', 'vault'],
  providers: ['errors', 'ports'],
  faces: ['errors', 'ports', 'nearest', 'config', 'ops'],
};

/** Files that put the parts together may import anything. */
const ROOTS: readonly string[] = ['index', 'bin', 'open-host', 'load-config', 'system-ports', 'user-state'];

/**
 * Circles of imports that are known and not ended yet. A circle that is gone must go from this list too.
 * `draft` makes draft tasks, and a draft task asks its draft for the others.
 */
const KNOWN_CIRCLES: readonly string[] = ['ops/tasks/change/draft-task.ts -> ops/tasks/change/draft.ts -> ops/tasks/change/draft-task.ts'];

/** Where files of a vault may be touched; the faces besides set up clients, find vaults and leave an address. */
const MAY_TOUCH_FILES = /^src\/(disk\/|load-config\.ts|user-state\.ts|open-host\.ts|faces\/cli\/(find-vault|serve\/|care\/))/;

const source = join(repositoryRoot, 'src');
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join('/'));

describe('layers', () => {
  it('every file belongs to a layer', () => {
    const unknown = files.filter((file) => !(layerOf(file) in MAY_IMPORT) && !ROOTS.includes(layerOf(file)));
    expect(unknown).toEqual([]);
  });

  it('no layer imports one that it may not know', () => {
    const breaches = files.flatMap((file) =>
      filesImportedBy(file)
        .filter((imported) => !mayImport(layerOf(file), layerOf(imported)))
        .map((imported) => `src/${file} imports src/${imported}`),
    );
    expect(breaches).toEqual([]);
  });

  it('toolsets never import one another', () => {
    const toolsetOf = (file: string): string | undefined => /^ops\/(\w+)\//.exec(file)?.[1];
    const breaches = files.flatMap((file) =>
      filesImportedBy(file)
        .filter((imported) => toolsetOf(file) !== undefined && toolsetOf(imported) !== undefined && toolsetOf(imported) !== toolsetOf(file))
        .map((imported) => `src/${file} imports src/${imported}`),
    );
    expect(breaches).toEqual([]);
  });

  it('no circle of imports, types included', () => {
    expect(circlesOf(new Map(files.map((file) => [file, filesImportedBy(file)])))).toEqual(KNOWN_CIRCLES);
  });

  it('note and graph are pure, and files are touched through the disk layer only', () => {
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .filter((imported) => /^node:(fs|fs\/promises|child_process)$/.test(imported))
        .filter(() => !MAY_TOUCH_FILES.test(`src/${file}`))
        .map((imported) => `src/${file} imports ${imported}`),
    );
    expect(breaches).toEqual([]);
  });

  it('no file is longer than 300 lines, and none is named after what everything is', () => {
    const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 301);
    expect(long).toEqual([]);
    const words =
      /(?:^|[-/])(manager|helper|helpers|util|utils|service|handler|processor|engine|wrapper|base|abstract|impl|data|info|item|object|thing|common|misc|core)(?:[-./]|$)/;
    expect(files.filter((file) => words.test(file))).toEqual([]);
  });

  it('no name is both a file and a folder', () => {
    const folders = new Set(files.map((file) => dirname(file)));
    expect(files.filter((file) => folders.has(file.replace(/\.ts$/, '')))).toEqual([]);
  });
});

function layerOf(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

function mayImport(from: string, to: string): boolean {
  return from === to || ROOTS.includes(from) || (MAY_IMPORT[from] ?? []).includes(to);
}

/** One circle for each group of files that import one another, from its first file by name; the shortest one through that file. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const circles: string[] = [];
  const known = new Set<string>();
  for (const file of [...imports.keys()].sort()) {
    const circle = known.has(file) ? null : circleThrough(file, imports);
    if (circle === null) continue;
    circles.push(circle.join(' -> '));
    for (const member of circle) known.add(member);
  }
  return circles;
}

/** The shortest way from a file along imports back to itself, or null. */
function circleThrough(file: string, imports: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const seen = new Set<string>();
  let paths: readonly (readonly string[])[] = [[file]];
  while (paths.length > 0) {
    const next: (readonly string[])[] = [];
    for (const path of paths) {
      for (const imported of imports.get(path.at(-1) ?? '') ?? []) {
        if (imported === file) return [...path, file];
        if (seen.has(imported)) continue;
        seen.add(imported);
        next.push([...path, imported]);
      }
    }
    paths = next;
  }
  return null;
}

/** The files of ours that a file imports, types included. */
function filesImportedBy(file: string): readonly string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith('.'))
    .map((imported) =>
      relative(source, resolve(source, dirname(file), imported))
        .split(sep)
        .join('/'),
    );
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(source, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}
