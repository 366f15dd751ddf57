// Loaded before the program: kills it before its call number KILL_AT of those that give files their names, counted once the file ARMED_BY is there if one is named,
// and writes into the file COUNT_IN how many there were when it ends by itself.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { existsSync, writeFileSync } = fs;
const { KILL_AT, COUNT_IN, ARMED_BY } = process.env;
let calls = 0;
for (const name of ['linkSync', 'renameSync', 'unlinkSync']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (ARMED_BY === undefined || existsSync(ARMED_BY)) calls += 1;
    if (calls === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL');
    return real(...args);
  };
}
syncBuiltinESMExports();
if (COUNT_IN !== undefined) process.on('exit', () => writeFileSync(COUNT_IN, String(calls)));
