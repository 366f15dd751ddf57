// Keeps what V8 makes of the program beside it, by the functions that a server and a first call need: `node compile-program.mjs <dist>`.
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
];

const [, , folder, vault] = process.argv;
if (vault === undefined) run();
else keep();

/** Runs the program in a vault of its own, as a process that keeps what was compiled. */
function run() {
  const home = mkdtempSync(join(tmpdir(), 'roux-build-'));
  try {
    const input = CALLS.map((call, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`).join('');
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith('ROUX_'));
    const env = { ...Object.fromEntries(others), XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') };
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), folder, home], {
      input,
      env,
      stdio: ['pipe', 'ignore', 2],
    });
    process.exitCode = status ?? 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
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
