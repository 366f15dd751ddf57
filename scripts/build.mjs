// Builds dist/ from src/. `--no-check` leaves the type check out, as `npm run check` does it: a start needs only the JavaScript.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A hash of everything that dist/ is made from. */
export function sourceStamp() {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const builders = ['tsconfig.build.json', 'build.mjs', 'no-js-yaml.mjs', 'run-program.mjs', 'compile-program.mjs'];
  const settings = ['tsconfig.json', 'package-lock.json', ...builders.map((file) => `scripts/${file}`)].map((file) => join(root, file));
  for (const file of [...files, ...settings].sort((a, b) => (a < b ? -1 : 1))) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
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
  bundleProgram(next);
  if (existsSync(join(next, 'bin.js'))) chmodSync(join(next, 'bin.js'), 0o755);
  writeFileSync(join(next, '.stamp'), stamp);
  swap(next, old);
  return true;
}

/**
 * Puts the program into one script beside what it was compiled to when it last ran, over what the compiler made of it: reading and
 * compiling hundreds of small files is most of a start. The library beside it stays as it is, and is the program where this fails.
 */
function bundleProgram(folder) {
  try {
    // Not imported above: a fresh clone has no packages yet when this file is read.
    const { buildSync } = createRequire(import.meta.url)('esbuild');
    const common = {
      absWorkingDir: root,
      bundle: true,
      platform: 'node',
      target: 'node20',
      alias: {
        // What Node loads of it asks for its parts by names that a bundle cannot follow.
        'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
        // gray-matter loads it with a second parser behind it, and is never let use it: a tenth of what a start reads.
        'js-yaml': join(root, 'scripts/no-js-yaml.mjs'),
      },
      logLevel: 'error',
    };
    for (const worker of ['graph/search/worker/search-worker', 'providers/minilm/minilm-worker']) {
      buildSync({
        ...common,
        entryPoints: [`src/${worker}.ts`],
        outfile: join(folder, `${worker.split('/').at(-1)}.js`),
        format: 'esm',
        // They may not be installed.
        external: ['@lat.md/*'],
        // Packages in CommonJS ask for Node's own modules by `require`. Under another name, as a worker may import it itself.
        banner: { js: "import { createRequire as requireFrom } from 'node:module';const require=requireFrom(import.meta.url);" },
      });
    }
    buildSync({
      ...common,
      entryPoints: ['src/bin.ts'],
      outfile: join(folder, 'program.cjs'),
      format: 'cjs',
      define: { 'import.meta.url': 'programUrl' },
      logOverride: { 'empty-import-meta': 'silent' },
      banner: { js: '(function (require, programUrl) {' },
      footer: { js: '})' },
    });
    copyFileSync(join(root, 'scripts/run-program.mjs'), join(folder, 'bin.js'));
    const { status } = spawnSync(process.execPath, [join(root, 'scripts/compile-program.mjs'), folder], { stdio: ['ignore', 2, 2] });
    if (status !== 0) console.error('roux: the program could not be compiled ahead; it starts more slowly.');
  } catch {
    // esbuild has said why.
    console.error('roux: the program could not be bundled; it starts more slowly.');
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
