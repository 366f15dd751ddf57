// Keeps what V8 makes of the program beside it, by the functions that a server and a first call need, and the first answers that it gives with
// default settings: `node compile-program.mjs <dist>`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

const CALLS = [
  {
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
  },
  { method: 'tools/list' },
  { method: 'tools/call', params: { name: 'create_node', arguments: { title: 'One', content: 'See [[Two]] #tag\n' } } },
  { method: 'tools/call', params: { name: 'update_node', arguments: { id: 'One', properties: { state: 'done' } } } },
  { method: 'tools/call', params: { name: 'get_node', arguments: { id: 'One' } } },
  { method: 'tools/call', params: { name: 'search', arguments: { query: 'one' } } },
  { method: 'tools/call', params: { name: 'create_node', arguments: { title: 'Two', content: 'See [[One]] and [one](One.md)\n' } } },
  { method: 'tools/call', params: { name: 'update_node', arguments: { id: 'One', title: 'Three' } } },
];

const [, , folder, vault] = process.argv;
if (vault === undefined) await run();
else keep();

/** Runs the program in a vault of its own, as a process that keeps what was compiled. */
async function run() {
  const home = mkdtempSync(join(tmpdir(), 'roux-build-'));
  try {
    const input = CALLS.map((call, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`).join('');
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith('ROUX_'));
    const env = { ...Object.fromEntries(others), XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
    const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder, home], {
      input,
      env,
      stdio: ['pipe', 'pipe', 2],
      encoding: 'utf8',
    });
    process.exitCode = status ?? 1;
    await keepAnswers(stdout);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What a front answers before the program has started (src/faces/stdio/proxy/first-answers.ts). */
async function keepAnswers(stdout) {
  // Loaded here, as the process that keeps what V8 makes must load nothing but the program.
  const { SUPPORTED_PROTOCOL_VERSIONS: versions } = await import('@modelcontextprotocol/sdk/types.js');
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [initialize, list] = CALLS.slice(0, 2).map((_, id) => answers.find((answer) => answer.id === id).result);
  writeFileSync(join(folder, 'first-answers.json'), JSON.stringify({ versions, initialize, list }));
}

function keep() {
  const filename = join(folder, 'program.cjs');
  const script = new Script(readFileSync(filename, 'latin1'), { filename });
  const main = join(folder, 'bin.js');
  // By this name the program looks for it.
  const cache = `${filename}.${cachedDataVersionTag().toString(16)}.cache`;
  process.argv = [process.execPath, main, 'mcp', '--vault', vault];
  process.on('exit', () => {
    writeFileSync(`${cache}.part`, script.createCachedData());
    renameSync(`${cache}.part`, cache);
  });
  script.runInThisContext()(createRequire(pathToFileURL(main)), pathToFileURL(main).href);
}
