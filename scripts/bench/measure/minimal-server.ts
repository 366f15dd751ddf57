import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';

import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A server of the SDK with one tool, `answer`, which gives a text of so many characters: what the protocol costs at least. */
const SOURCE = `
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
const server = new Server({ name: 'minimal', version: '1' }, { capabilities: { tools: {} } });
const inputSchema = { type: 'object', properties: { characters: { type: 'number' } } };
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: 'answer', description: 'Answers.', inputSchema }] }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
  content: [{ type: 'text', text: 'x'.repeat(Number(params.arguments?.characters ?? 0)) }],
}));
void server.connect(new StdioServerTransport());
process.stdin.once('end', () => process.exit(0));
`;

/** Builds the minimal server into a folder, as roux is built; gives its program. */
export function buildMinimalServer(folder: string): string {
  const dist = join(folder, 'dist');
  mkdirSync(dist, { recursive: true });
  buildSync({
    stdin: { contents: SOURCE, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    outfile: join(dist, 'program.cjs'),
    logLevel: 'error',
    banner: { js: '(function (require, programUrl) {' },
    footer: { js: '})' },
  });
  copyFileSync(join(root, 'scripts/run-program.mjs'), join(dist, 'bin.js'));
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/compile-program.mjs'), dist], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the minimal server could not be compiled');
  return join(dist, 'bin.js');
}
