// Exchanges folders with links to the outside and back, as fast as it can, until it is told to end: `node exchanging.mjs <link target> <folder>…`.
// A link waits beside each folder under a hidden name; two renames put it in the folder's place, two take it away.
import { renameSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const [, , target, seedText, ...folders] = process.argv;
let isEnding = false;
process.on('disconnect', () => (isEnding = true));
process.on('message', () => (isEnding = true));

let seed = Number(seedText);
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const spin = (microseconds) => {
  const end = process.hrtime.bigint() + BigInt(Math.floor(microseconds * 1000));
  while (process.hrtime.bigint() < end);
};

const victims = folders.map((folder, index) => ({
  folder,
  waiting: join(dirname(folder), `.link-${index}-${basename(folder)}`),
  aside: join(dirname(folder), `.aside-${index}-${basename(folder)}`),
}));
/** Whether a name could be given to what has another one: roux may have made a folder, or put the link aside, in between. */
const isRenamed = (from, to) => {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
};
const lay = (path) => {
  try {
    symlinkSync(target, path);
  } catch {
    // It lies there.
  }
};

let exchanges = 0;
const round = () => {
  const end = performance.now() + 20;
  while (!isEnding && performance.now() < end) {
    const { folder, waiting, aside } = victims[Math.floor(random() * victims.length)];
    lay(waiting);
    if (!isRenamed(folder, aside)) {
      // Not made yet.
      spin(100);
      continue;
    }
    if (isRenamed(waiting, folder)) {
      exchanges += 1;
      spin(random() * 150);
      isRenamed(folder, waiting);
    }
    // What roux made in the folder's place meanwhile goes out of the way.
    if (!isRenamed(aside, folder) && isRenamed(folder, `${aside}-${exchanges}`)) isRenamed(aside, folder);
    spin(random() * 600);
  }
  if (isEnding) {
    process.send?.({ exchanges }, () => process.exit(0));
    return;
  }
  setImmediate(round);
};
process.send?.('ready');
round();
