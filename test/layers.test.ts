import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from './support/vault.ts';

/** Who may import whom, as the table in docs/architecture.md says; `null`: whatever it likes, to put the parts together. A folder may always import itself. */
const LAYERS: readonly (readonly [layer: string, imports: readonly string[] | null])[] = readFileSync(
  join(repositoryRoot, 'docs/architecture.md'),
  'utf8',
)
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 5 && /nothing of ours|anything|^`.*`$/.test(cells[2] ?? ''))
  .flatMap(([, layers = '', imported = '']) =>
    namesIn(layers).map((layer) => [layer, imported === 'anything' ? null : namesIn(imported)] as const),
  );
const MAY_IMPORT = new Map(LAYERS);

/** Where files may be touched: a vault's in the store alone; git reads a repository, an export is read from its folder or zip, what embeds finds its model, the watchdog reads how long a thread has run, and the faces besides send the page, set up clients, find vaults, leave an address and start programs. */
const MAY_TOUCH_FILES =
  /^src\/(store\/folder\/|system\/|git\/|importing\/source\/|providers\/|watchdog\/|(program-key|small-file|on-path|open-host|relay)\.ts|faces\/web\/|faces\/cli\/(find-vault|serve\/|care\/|imports\/|programs\/))/;

/** What faces may call of `ops/` besides operations: it knows no vault, or, as the session, keeps it to itself. */
const FACES_MAY_CALL: readonly string[] = [
  'ops/arguments.ts',
  'ops/session.ts',
  'ops/shorten.ts',
  'ops/toolsets.ts',
  'ops/care/git-files.ts',
  'ops/care/merge-files.ts',
  'ops/memory/stable-keys.ts',
];

const source = join(repositoryRoot, 'src');
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join('/'));

describe('layers', () => {
  it('every file belongs to a layer, and every layer has files', () => {
    expect(files.filter((file) => !MAY_IMPORT.has(layerOf(file)))).toEqual([]);
    expect([...MAY_IMPORT.keys()].filter((layer) => !files.some((file) => layerOf(file) === layer))).toEqual([]);
  });

  it('a layer has one row, which allows nothing that the layer does not import', () => {
    const rows = LAYERS.map(([layer]) => layer);
    expect(rows.filter((layer, at) => rows.indexOf(layer) !== at)).toEqual([]);
    const unused = LAYERS.flatMap(([layer, allowed]) => {
      const imported = files.filter((file) => layerOf(file) === layer).flatMap(ownImportsOf);
      return (allowed ?? []).filter((part) => !imported.some((file) => isIn(file, part))).map((part) => `${layer}: ${part}`);
    });
    expect(unused).toEqual([]);
  });

  it('no layer imports one that it may not know', () => {
    const breaches = files.flatMap((file) =>
      ownImportsOf(file)
        .filter((imported) => !mayImport(layerOf(file), imported))
        .map((imported) => `src/${file} imports src/${imported}`),
    );
    expect(breaches).toEqual([]);
  });

  it('the page in a browser takes types alone of what runs in the server', () => {
    const breaches = files
      .filter((file) => file.startsWith('page/browser/'))
      .flatMap((file) => importedNames(file).map((imported) => ({ ...imported, file })))
      .filter(({ from, isType }) => !isType && !/^page\/(browser|layout|site)\//.test(from))
      .map(({ file, name, from }) => `src/${file} imports ${name} of src/${from}`);
    expect(breaches).toEqual([]);
  });

  it('zod is imported as a namespace, of which the built program takes what is used: half of zod are messages in other languages', () => {
    const whole = files.filter((file) => /^import \{[^}]*\bz\b[^}]*\} from 'zod'/m.test(readFileSync(join(source, file), 'utf8')));
    expect(whole).toEqual([]);
  });

  it('toolsets never import one another, and only the list of all of them imports toolsets', () => {
    // What a call passes through (`call`), near names, lists of notes, what every answer says about freshness and connections, imports, and bundles (`okf`), belong to no toolset.
    const toolsetOf = (file: string): string | undefined =>
      /^ops\/(?!call\/|connections\/|freshness\/|imports\/|lists\/|names\/|okf\/)(\w+)\//.exec(file)?.[1];
    const shared = files.filter((file) => file.startsWith('ops/') && file !== 'ops/all.ts');
    const breaches = shared.flatMap((file) =>
      ownImportsOf(file)
        .filter((imported) => toolsetOf(imported) !== undefined && toolsetOf(imported) !== toolsetOf(file))
        .map((imported) => `src/${file} imports src/${imported}`),
    );
    expect(breaches).toEqual([]);
  });

  it('no circle of imports, types included', () => {
    expect(circlesOf(new Map(files.map((file) => [file, ownImportsOf(file)])))).toEqual([]);
  });

  it('faces get answers, not the vault: of ops they know operations, their types and constants, and nothing that is run with a vault', () => {
    const mayFacesKnow = ({ name, from, isType }: ImportedName): boolean => {
      const text = textOf(from);
      if (FACES_MAY_CALL.includes(from)) return true;
      if (from === 'ops/operation.ts') return isType && name !== 'OperationContext';
      if (isType) return text.includes(' = defineOperation(');
      return new RegExp(`^export const ${name}\\b( = defineOperation\\()?`, 'm').exec(text)?.[1] !== undefined || /^[A-Z_]+$/.test(name);
    };
    const breaches = files
      .filter((file) => layerOf(file) === 'faces')
      .flatMap((file) =>
        importedNames(file)
          .filter((imported) => layerOf(imported.from) === 'ops' && !mayFacesKnow(imported))
          .map(({ name, from }) => `src/${file} imports ${name} of src/${from}`),
      );
    expect(breaches).toEqual([]);
  });

  it('note and graph are pure, and files are touched through the store alone', () => {
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

  it('a room has so few files beside its sub-rooms that one look takes it in, those of the tests too', () => {
    const rooms = new Map<string, number>();
    const all = [source, join(repositoryRoot, 'test')].flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
    for (const entry of all) if (entry.isFile()) rooms.set(entry.parentPath, (rooms.get(entry.parentPath) ?? 0) + 1);
    // A file for each tool.
    rooms.delete(join(repositoryRoot, 'test/tools'));
    expect([...rooms].filter(([, count]) => count > 16)).toEqual([]);
  });

  it('no name is both a file and a folder', () => {
    const folders = new Set(files.map((file) => dirname(file)));
    expect(files.filter((file) => folders.has(file.replace(/\.tsx?$/, '')))).toEqual([]);
  });
});

/** The names between backticks, without the slash of a folder. */
function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name);
}

function layerOf(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

/** `to`: the imported file; a layer may know a part of another one only. */
function mayImport(from: string, to: string): boolean {
  const allowed = MAY_IMPORT.get(from);
  return from === layerOf(to) || allowed === null || (allowed ?? []).some((part) => isIn(to, part));
}

function isIn(file: string, part: string): boolean {
  return file === `${part}.ts` || file.startsWith(`${part}/`);
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

function importsOf(file: string): readonly string[] {
  const text = textOf(file);
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

/** The files of ours that a file imports. */
function ownImportsOf(file: string): readonly string[] {
  return importsOf(file)
    .filter((imported) => imported.startsWith('.'))
    .map((imported) => fileOf(imported, file));
}

interface ImportedName {
  readonly name: string;
  readonly from: string;
  readonly isType: boolean;
}

/** What a file imports of ours, name by name. */
function importedNames(file: string): readonly ImportedName[] {
  const text = textOf(file);
  const statements = [
    ...[...text.matchAll(/^import (type )?(?:\{([^}]*)\}|(\*) as \w+) from '(\.[^']+)'/gm)].map(([, type, names, all, path]) => ({
      type,
      names: names ?? all,
      path,
    })),
    ...[...text.matchAll(/\{([^{}]*)\} = await import\('(\.[^']+)'\)/g)].map(([, names, path]) => ({ type: undefined, names, path })),
    ...[...text.matchAll(/\(await import\('(\.[^']+)'\)\)\.(\w+)/g)].map(([, path, names]) => ({ type: undefined, names, path })),
  ];
  return statements.flatMap(({ type, names = '', path = '' }) =>
    names
      .split(',')
      .map((name) => name.trim().split(/ as |:/)[0] ?? '')
      .filter((name) => name !== '')
      .map((name) => ({
        name: name.replace(/^type /, ''),
        from: fileOf(path, file),
        isType: type !== undefined || name.startsWith('type '),
      })),
  );
}

function fileOf(imported: string, from: string): string {
  return relative(source, resolve(source, dirname(from), imported))
    .split(sep)
    .join('/');
}

function textOf(file: string): string {
  return readFileSync(join(source, file), 'utf8');
}
