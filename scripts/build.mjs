// Builds dist/ from src/. `--no-check` leaves the type check out, as `npm run check` does it: a start needs only the JavaScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPage } from './build-page.mjs';
import { licenseText } from './package/license-text.mjs';
import { sbomText } from './package/sbom.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The vault that `roux demo` copies, and what its agents do there. */
const DEMO = 'vault-fixtures/demo';
const DEMO_STORY = 'vault-fixtures/demo-story.yaml';

/** What a server leaves in a vault. */
const isLeftBehind = (file) => file.slice(root.length).split(sep).includes('.roux');

/** A hash of everything that dist/ is made from. */
export function sourceStamp() {
  const hash = createHash('sha256');
  const files = ['src', DEMO]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isLeftBehind(file));
  const builders = [
    'tsconfig.build.json',
    'build.mjs',
    'build-page.mjs',
    'no-js-yaml.mjs',
    'run-program.mjs',
    'compile-program.mjs',
    'package/bundled-packages.mjs',
    'package/license-text.mjs',
    'package/sbom.mjs',
  ];
  const settings = [DEMO_STORY, 'tsconfig.json', 'package-lock.json', ...builders.map((file) => `scripts/${file}`)].map((file) =>
    join(root, file),
  );
  for (const file of [...files, ...settings].sort((a, b) => (a < b ? -1 : 1))) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  // The bill of materials names the package.
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  hash.update(JSON.stringify([name, version, description, license]));
  return hash.digest('hex');
}

/** Whether dist/ was built from the sources as they are now. */
export function isBuilt() {
  const stamp = join(root, 'dist/.stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceStamp();
}

/** Builds beside dist/ and swaps, so that a build that fails or runs twice at once leaves a whole dist/. */
export function build({ check }) {
  const stamp = sourceStamp();
  const next = join(root, `.dist-${process.pid}`);
  const old = join(root, `.dist-${process.pid}-old`);
  rmSync(next, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['-p', join(root, 'scripts/tsconfig.build.json'), '--outDir', next, ...(check ? ['--noEmitOnError'] : ['--noCheck'])];
  const { status } = spawnSync(process.execPath, [tsc, ...flags], { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    rmSync(next, { recursive: true, force: true });
    return false;
  }
  const used = [...bundleProgram(next), ...bundlePage(next)];
  writeFileSync(join(next, 'licenses.txt'), licenseText(root, used));
  writeFileSync(join(next, 'sbom.cdx.json'), sbomText(root, used));
  pruneTypes(next);
  cpSync(join(root, DEMO), join(next, 'demo'), { recursive: true, filter: (file) => !isLeftBehind(file) });
  copyFileSync(join(root, DEMO_STORY), join(next, 'demo-story.yaml'));
  if (existsSync(join(next, 'bin.js'))) chmodSync(join(next, 'bin.js'), 0o755);
  writeFileSync(join(next, '.stamp'), stamp);
  swap(next, old);
  return true;
}

/** What the program uses of the SDK for revision 2026-07-28: most clients do not speak it yet, and a start reads the whole program. */
const LATER_SDK = `export { createMcpHandler, InMemoryServerEventBus, Server } from '@modelcontextprotocol/server';
export { serveStdio } from '@modelcontextprotocol/server/stdio';`;

/** What a vault that several machines share needs of PostgreSQL's driver, without its other one in native code; no other vault reads it. */
const POSTGRES = `export { Client } from 'pg';`;

/** What the worker that embeds runs the model in; its glue is bundled. */
const ONNX_RUNTIME = 'ort-wasm-simd-threaded.wasm';

/**
 * Puts the program into one script beside what it was compiled to when it last ran, and the library into another, over what the
 * compiler made of them: reading and compiling hundreds of small files is most of a start, and who installs the package needs no other.
 * What the compiler made stays as it is, and is the program where this fails. Gives the files that went in.
 */
function bundleProgram(folder) {
  try {
    // Not imported above: a fresh clone has no packages yet when this file is read.
    const { buildSync } = createRequire(import.meta.url)('esbuild');
    const alias = {
      // What Node loads of it asks for its parts by names that a bundle cannot follow.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      // gray-matter loads it with a second parser behind it, and is never let use it: a tenth of what a start reads.
      'js-yaml': join(root, 'scripts/no-js-yaml.mjs'),
    };
    const common = {
      absWorkingDir: root,
      bundle: true,
      platform: 'node',
      // The text of the program stays in memory as long as it runs. Names stay: they are what a stack trace is read by.
      minifyWhitespace: true,
      minifySyntax: true,
      target: 'node20',
      // A script of its own, read where a vault is shared.
      alias: { ...alias, pg: './postgres.cjs' },
      metafile: true,
      logLevel: 'error',
    };
    const module = {
      ...common,
      format: 'esm',
      // They may not be installed.
      external: ['@lat.md/*', './postgres.cjs'],
      // Packages in CommonJS ask for Node's own modules by `require`. Under another name, as a worker may import it itself.
      banner: { js: "import { createRequire as requireFrom } from 'node:module';const require=requireFrom(import.meta.url);" },
    };
    const workers = [
      'graph/search/worker/search-worker',
      'page/map/worker/layout-worker',
      'providers/minilm/minilm-worker',
      'render/worker/render-worker',
      'vault/attachments/worker/pdf-worker',
    ];
    // As scripts, which Node loads with less than modules.
    const scripts = [
      ['relay', 'relay'],
      ['watchdog/watchdog-worker', 'watchdog-worker'],
    ];
    const laterSdk = join(folder, 'later-sdk.cjs');
    const built = [
      ...workers.map((worker) =>
        buildSync({ ...module, entryPoints: [`src/${worker}.ts`], outfile: join(folder, `${worker.split('/').at(-1)}.js`) }),
      ),
      buildSync({ ...module, entryPoints: ['src/index.ts'], outfile: join(folder, 'index.js') }),
      buildSync({ ...common, stdin: { contents: LATER_SDK, resolveDir: root }, outfile: laterSdk, format: 'cjs' }),
      buildSync({
        ...common,
        alias,
        stdin: { contents: POSTGRES, resolveDir: root },
        outfile: join(folder, 'postgres.cjs'),
        format: 'cjs',
        external: ['pg-native', 'pg-cloudflare'],
      }),
      buildSync({
        ...common,
        entryPoints: ['src/bin.ts'],
        outfile: join(folder, 'program.cjs'),
        format: 'cjs',
        // A script of its own, read where a client speaks the revision that it is for.
        alias: {
          ...common.alias,
          '@modelcontextprotocol/server': './later-sdk.cjs',
          '@modelcontextprotocol/server/stdio': './later-sdk.cjs',
        },
        external: ['./later-sdk.cjs', './postgres.cjs'],
        // It is run as a script, which has `require` alone to load another one by.
        supported: { 'dynamic-import': false },
        define: { 'import.meta.url': 'programUrl' },
        logOverride: { 'empty-import-meta': 'silent' },
        banner: { js: '(function (require, programUrl, programClient) {' },
        footer: { js: '})' },
      }),
      ...scripts.map(([source, script]) =>
        buildSync({
          ...common,
          entryPoints: [`src/${source}.ts`],
          outfile: join(folder, `${script}.cjs`),
          format: 'cjs',
          define: { 'import.meta.url': 'scriptUrl' },
          banner: { js: "const scriptUrl = require('node:url').pathToFileURL(__filename).href;" },
        }),
      ),
    ];
    copyFileSync(join(root, 'node_modules/onnxruntime-web/dist', ONNX_RUNTIME), join(folder, ONNX_RUNTIME));
    writeAscii(join(folder, 'program.cjs'));
    copyFileSync(join(root, 'scripts/run-program.mjs'), join(folder, 'bin.js'));
    const { status } = spawnSync(process.execPath, [join(root, 'scripts/compile-program.mjs'), folder], { stdio: ['ignore', 2, 2] });
    if (status !== 0) console.error('roux: the program could not be compiled ahead; it starts more slowly.');
    return built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  } catch {
    // esbuild has said why.
    console.error('roux: the program could not be bundled; it starts more slowly.');
    return [];
  }
}

/**
 * Writes what is outside of ASCII as escapes: the bundler leaves it in regular expressions. One such character, and V8 keeps two bytes
 * for each of all the others; reading them is a tenth of a start.
 */
function writeAscii(file) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}

/** The page that people open in a browser. A server without it still serves programs. Gives the files that went in. */
function bundlePage(folder) {
  try {
    return buildPage(root, join(folder, 'page'));
  } catch {
    // esbuild has said why.
    console.error('roux: the page could not be built; the server will have none.');
    return [];
  }
}

/** Leaves the declarations that the library's own lead to. */
function pruneTypes(folder) {
  const kept = new Set();
  const keep = (file) => {
    if (kept.has(file)) return;
    kept.add(file);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const imported = join(file, '..', name).replace(/\.[jt]s$/, '.d.ts');
      if (existsSync(imported)) keep(imported);
    }
  };
  keep(join(folder, 'index.d.ts'));
  for (const name of readdirSync(folder, { recursive: true })) {
    const file = join(folder, name);
    if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
  }
}

function swap(next, old) {
  const dist = join(root, 'dist');
  for (let attempt = 0; ; attempt += 1) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(next, dist);
      break;
    } catch (error) {
      // Another build put its dist/ there in between: the later one wins.
      if (attempt === 5) throw error;
      rmSync(old, { recursive: true, force: true });
    }
  }
  rmSync(old, { recursive: true, force: true });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exit(build({ check: !process.argv.includes('--no-check') }) ? 0 : 1);
}
