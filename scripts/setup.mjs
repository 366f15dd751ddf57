// Runs before `npm start`, `npm test` and `npm pack`: installs and builds what is missing or out of date. Needs only Node and npm.
// `--packages` leaves the build to whoever needs it: most tests do not.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// What the packages were installed from: times alone change with every checkout.
const stamp = join(root, 'node_modules/.installed-from');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`roux needs Node 20.19 or newer; this is ${process.version}. Install a newer one from https://nodejs.org and try again.`);
  process.exit(1);
}

// A link leads to the packages of another checkout, which may be in use: they are not replaced from here.
if (!isInstalled() && lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink() !== true) {
  console.error('roux: installing packages (once, about a minute) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--progress=true']);
  writeFileSync(stamp, lockHash());
}
if (!process.argv.includes('--packages') && !isBuilt()) {
  console.error('roux: building …');
  const start = Date.now();
  if (!build({ check: false })) {
    console.error('roux: the build failed; the messages above say where.');
    process.exit(1);
  }
  console.error(`roux: built in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

function isInstalled() {
  const installed = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed)) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash()) return true;
  // npm writes that file at the end of every install, so its time is the install's.
  return statSync(installed).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs;
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (error !== undefined) {
    console.error(`roux: could not run ${command}: ${error.message}`);
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}
