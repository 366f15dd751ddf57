import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from './support/program/cli.ts';

it('the program starts from what was compiled when it was built', () => {
  // In a process with no flags: V8 takes nothing that was compiled with other ones.
  const isTaken = `
    const { readFileSync } = require('node:fs');
    const [, file] = process.argv;
    const script = new (require('node:vm').Script)(readFileSync(file, 'utf8'), { cachedData: readFileSync(file + '.cache') });
    console.log(script.cachedDataRejected);`;
  const { stdout } = spawnSync(process.execPath, ['-e', isTaken, join(dirname(program), 'program.cjs')], { encoding: 'utf8' });
  expect(stdout).toBe('false\n');
});
