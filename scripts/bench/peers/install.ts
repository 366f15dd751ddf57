import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is measured beside roux. A new version is to be looked at before it is put here: tools and their arguments change. */
export const VERSIONS = {
  '@bitbonsai/mcpvault': '0.16.0',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
  '@vscode/ripgrep-linux-x64': '1.18.0',
  'foam-cli': '0.46.0',
  'mcp-obsidian': '1.0.0',
} as const;

/** Installs them from the npm registry below a folder, without running their scripts; gives the folder of the packages. */
export function installPeers(folder: string): string {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const wanted = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--registry=https://registry.npmjs.org/'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, ...wanted], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm install: ${stderr}`);
  return join(folder, 'node_modules');
}
