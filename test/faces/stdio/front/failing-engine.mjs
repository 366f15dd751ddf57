// Loaded before `roux mcp`: an engine ends at its start while the file TEST_FAILS_WHILE is there, and at each message with "poison". It does
// not hear one with "unheard", and ends when its front says no more after that.
import { appendFileSync, existsSync } from 'node:fs';

const { TEST_FAILS_WHILE: file = '', TEST_STARTS: starts = '' } = process.env;
if (process.argv[2] === '--own-server') {
  if (starts !== '') appendFileSync(starts, 'x');
  if (existsSync(file)) process.exit(9);
  const { emit } = process.stdin;
  let isDeaf = false;
  process.stdin.emit = function (name, chunk) {
    isDeaf ||= name === 'data' && String(chunk).includes('unheard');
    if (isDeaf && name === 'data') return true;
    if ((name === 'data' && String(chunk).includes('poison')) || (isDeaf && name === 'end')) process.kill(process.pid, 'SIGKILL');
    return emit.apply(this, arguments);
  };
}
