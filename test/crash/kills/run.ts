// `npx tsx test/crash/kills/run.ts [--rounds 1000] [--seed N]`: kills of the built program at random moments of every operation.
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' }, seed: { type: 'string' } } });
if (values.seed !== undefined) process.env['ROUX_SEED'] = values.seed;
await import('../../support/seed.ts');
const { upTo } = await import('../../support/effort.ts');
const { default: buildDist } = await import('../../support/program/build-dist.ts');
const { killAll } = await import('./kill-rounds.ts');

buildDist();
let known = 0;
const report = await killAll(upTo(Number(values.rounds)), ({ rounds, faults, ...counts }) => {
  for (const fault of faults.slice(known)) console.log(fault);
  known = faults.length;
  if (rounds % 25 === 0) console.log(JSON.stringify({ rounds, faults: known, ...counts }));
});
console.log(JSON.stringify(report, null, 2));
if (report.faults.length > 0) process.exitCode = 1;
