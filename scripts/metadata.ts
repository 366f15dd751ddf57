// Holds what other programs read about the package against the package: server.json, the files that other directories of servers ask for,
// llms.txt, the plugin, and how the README says to install it. `--write` brings it up to date. `--publisher owner/name` first writes into
// package.json who publishes it, as a release does, `--bundle file.mcpb` tells the registry of the bundle of that release, and `--commit` tells
// Docker's catalog which commit that is.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { directoryFiles } from './package/directory-files.ts';
import { installLines, packageLines } from './package/install-links.ts';
import { pluginCopies, pluginFiles } from './package/plugin-files.ts';
import { namePublisher, readPublished, repositoryRoot } from './package/publisher.ts';
import { serverJson } from './package/server-json.ts';
import type { ReleasedBundle } from './package/server-json.ts';
import { between } from './package/readme-marks.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, publisher: { type: 'string' }, bundle: { type: 'string' }, commit: { type: 'string' } },
});
const isWriting = values.write === true || values.publisher !== undefined;
const at = (file: string): string => join(repositoryRoot, file);

if (values.publisher !== undefined)
  writeFileSync(at('package.json'), namePublisher(readFileSync(at('package.json'), 'utf8'), values.publisher));
const published = readPublished();
const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
const wanted = new Map<string, string>([
  ['server.json', json(serverJson(published, bundleOf(values.bundle)))],
  ...Object.entries(pluginFiles(published)).map(([file, value]): [string, string] => [file, json(value)]),
  ...Object.entries(pluginCopies((file) => readFileSync(at(file), 'utf8'))),
  ...Object.entries(directoryFiles(published, values.commit)),
  ['README.md', between(readFileSync(at('README.md'), 'utf8'), 'install', installLines(published))],
  ['docs/install.md', between(readFileSync(at('docs/install.md'), 'utf8'), 'package', packageLines(published))],
]);

const stale = [...wanted].filter(([file, text]) => !existsSync(at(file)) || readFileSync(at(file), 'utf8') !== text);
if (isWriting) {
  for (const [file, text] of stale) {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  }
} else if (stale.length > 0) {
  console.error(`Out of date: ${stale.map(([file]) => file).join(', ')}. Run "npm run metadata -- --write".`);
  process.exitCode = 1;
}

/** Where a release has the bundle, and what it is. */
function bundleOf(file: string | undefined): ReleasedBundle | null {
  if (file === undefined) return null;
  if (published.repository === null) throw new Error('A bundle is part of a release: name the --publisher.');
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  return { url: `https://github.com/${published.repository}/releases/download/v${published.version}/${basename(file)}`, sha256 };
}
