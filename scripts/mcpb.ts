// Makes an .mcpb bundle, which Claude Desktop and others install with a click: `npm run mcpb` writes build/roux-<version>.mcpb.
// `--with-model` takes the model for search by meaning along (46 MB). `--into FOLDER` writes elsewhere.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packExtension } from '@anthropic-ai/mcpb';
import { mcpbManifest } from './package/mcpb-manifest.ts';
import { readPublished, repositoryRoot } from './package/publisher.ts';

const { values } = parseArgs({ options: { 'with-model': { type: 'boolean' }, into: { type: 'string' } } });
const published = readPublished();
const into = resolve(values.into ?? join(repositoryRoot, 'build'));
const folder = mkdtempSync(join(tmpdir(), 'roux-mcpb-'));
try {
  const server = join(folder, 'bundle/server');
  mkdirSync(into, { recursive: true });
  mkdirSync(join(folder, 'bundle'));
  unpack(server);
  if (values['with-model'] === true)
    cpSync(join(repositoryRoot, 'node_modules/@lat.md'), join(server, 'node_modules/@lat.md'), { recursive: true });
  cpSync(join(repositoryRoot, 'scripts/package/icon.png'), join(folder, 'bundle/icon.png'));
  writeFileSync(join(folder, 'bundle/manifest.json'), `${JSON.stringify(mcpbManifest(published), null, 2)}\n`);
  const name = `roux-${published.version}${values['with-model'] === true ? '-with-model' : ''}.mcpb`;
  const isPacked = await packExtension({ extensionPath: join(folder, 'bundle'), outputPath: join(into, name), silent: true });
  if (!isPacked) throw new Error('The bundle is not as mcpb wants it; "mcpb validate" tells.');
  console.log(join(into, name));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Puts there what npm would publish, but what a server on stdio has no use for: the library, the page and the demo. */
function unpack(server: string): void {
  run('npm', ['pack', '--pack-destination', folder]);
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '';
  run('tar', ['-xzf', join(folder, tarball), '-C', folder]);
  renameSync(join(folder, 'package'), server);
  for (const part of ['dist/page', 'dist/demo', 'dist/demo-story.yaml', 'dist/index.js', 'man'])
    rmSync(join(server, part), { recursive: true, force: true });
  for (const file of readdirSync(join(server, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.d.ts')) rmSync(join(server, 'dist', file));
  }
  for (const entry of readdirSync(join(server, 'dist'), { withFileTypes: true })) {
    if (entry.isDirectory()) rmSync(join(server, 'dist', entry.name), { recursive: true });
  }
  if (!existsSync(join(server, 'dist/bin.js'))) throw new Error('The package has no program in it.');
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: repositoryRoot, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} failed`, { cause: error });
}
