// `npm start`: serves the vault that is named, else the demo.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const demo = fileURLToPath(new URL('../vault-fixtures/demo', import.meta.url));
const program = fileURLToPath(new URL('../dist/bin.js', import.meta.url));
const env = { ...process.env, ROUX_VAULT: process.env.ROUX_VAULT ?? demo };
const child = spawn(process.execPath, [program, 'serve', ...process.argv.slice(2)], { env, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (status) => process.exit(status ?? 1));
