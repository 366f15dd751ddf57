/** `npm run bench [-- notes]`: prints what roux costs on this machine, each figure beside a yardstick of the same run. */
import { benchJobs } from './jobs.ts';
import { benchMemory } from './memory-tools.ts';
import { machine, toTable } from './measure.ts';
import { benchOrganise } from './organise.ts';
import { benchPatches } from './patches.ts';
import { benchQueries } from './queries.ts';
import { benchRename } from './rename.ts';
import { benchTasks } from './tasks.ts';
import { benchVault } from './vault.ts';

const count = Number(process.argv[2] ?? 10_000);
console.log(`${machine()}\n\nA generated vault of ${count} notes; CPU time unless it says otherwise.\n`);
console.log(toTable(await benchVault(count)));
console.log(`\nRenames.\n`);
console.log(toTable(await benchRename(count)));
console.log(`\nTags and folders.\n`);
console.log(toTable(await benchOrganise(count)));
console.log(`\nQueries over properties.\n`);
console.log(toTable(await benchQueries(count)));
console.log(`\nParts of notes.\n`);
console.log(toTable(await benchPatches()));
console.log(`\nJobs of an agent.\n`);
console.log(toTable(await benchJobs()));
console.log(`\nMemory tools.\n`);
console.log(toTable(await benchMemory(count)));
console.log(`\nTask tools, one project of ${count} nodes.\n`);
console.log(toTable(await benchTasks(count)));
