import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { makeVault } from '../make-vault.ts';
import { cpuHere, cpuOf, median, ms, pause, untilQuiet, writtenBy, type Row } from './measure.ts';
import { startServer } from './server.ts';
import { notesBelow } from './yardsticks.ts';

const TITLE = 'The Hub of the Bench';
const FORMS = [`[[${TITLE}]]`, `[[${TITLE}|the hub]]`, `[[${TITLE}#Start]]`, `![[${TITLE}]]`, `[hub](${encodeURI(TITLE)}.md)`];
const ROUNDS = 3;
const UPDATES = 20;

/** A note with this many backlinks is renamed in a generated vault, beside rewriting the same files plainly; and one small update. */
export async function benchRename(count: number, backlinks = 1000): Promise<Row[]> {
  const vault = mkdtempSync(join(tmpdir(), 'roux-bench-rename-'));
  try {
    makeVault(vault, count);
    const linking = spread(notesBelow(vault), backlinks);
    for (const [index, note] of linking.entries()) appendFileSync(note, `\n${FORMS[index % FORMS.length]}\n`);
    writeFileSync(join(vault, `${TITLE}.md`), '# Start\n');

    const server = await startServer(vault);
    await server.call('get_hubs', {});
    await untilQuiet(server.pid);
    const renames: number[] = [];
    const after: number[] = [];
    const plain: number[] = [];
    let written = 0;
    let title = TITLE;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = { cpu: cpuOf(server.pid), written: writtenBy(server.pid) };
      await server.call('update_node', { id: `${title}.md`, title: `Hub ${round}` });
      renames.push(cpuOf(server.pid) - before.cpu);
      if (round === 1) written = writtenBy(server.pid) - before.written;
      title = `Hub ${round}`;
      // Displaced files are looked at again after two seconds.
      await pause(2500);
      await untilQuiet(server.pid);
      after.push(cpuOf(server.pid) - before.cpu);
      plain.push(rewriteCpu([...linking, join(vault, `${title}.md`)]));
      await untilQuiet(server.pid);
    }
    const changed = [...linking, join(vault, `${title}.md`)].reduce((sum, file) => sum + statSync(file).size, 0);
    const journal = journalSize(vault) / ROUNDS;

    const ids = spread(notesBelow(vault), UPDATES).map((note) => relative(vault, note));
    const updates: number[] = [];
    for (const [index, id] of ids.entries()) {
      const before = cpuOf(server.pid);
      await server.call('update_node', { id, properties: { status: `round ${index}` } });
      updates.push(cpuOf(server.pid) - before);
    }
    await server.close();

    const [rename, rewrite] = [median(renames), median(plain)];
    return [
      {
        question: `rename with ${linking.length} backlinks among ${count} notes`,
        value: ms(rename),
        beside: `the same files rewritten plainly with fsync ${ms(rewrite)}: ${(rename / rewrite).toFixed(1)} ×; goal 3 ×`,
      },
      { question: 'the same with all that follows it', value: ms(median(after)), beside: 'index, search, second look at displaced files' },
      {
        question: 'bytes written by the rename',
        value: megabytes(written),
        beside: `files ${megabytes(changed)} and journal ${megabytes(journal)}: ${((written - journal) / changed).toFixed(2)} × the files; goal 1.2 ×`,
      },
      { question: 'update_node of one property', value: ms(median(updates)), beside: `${await syncsOfUpdate(vault, ids[0] ?? '')} syncs` },
    ];
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(list.length / count));
  return list.filter((_, index) => index % step === 0).slice(0, count);
}

/** CPU of the least that rewriting files can be: read, write, sync, in this process. */
function rewriteCpu(files: readonly string[]): number {
  return cpuHere(() => {
    for (const file of files) {
      const text = readFileSync(file, 'utf8');
      const descriptor = openSync(file, 'w');
      writeSync(descriptor, text);
      fsyncSync(descriptor);
      closeSync(descriptor);
    }
  });
}

/** Bytes of the records that roux has written: intents and events. Displaced files are links and cost none. */
function journalSize(vault: string): number {
  const history = join(vault, '.roux/history');
  return readdirSync(history, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl?$/.test(name))
    .reduce((sum, name) => sum + statSync(join(history, name)).size, 0);
}

/** The syncs of one small update, counted inside a server that reports each. */
async function syncsOfUpdate(vault: string, id: string): Promise<number> {
  const report = join(vault, '.syncs');
  writeFileSync(report, '');
  const source = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    for (const name of ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync']) {
      const sync = fs[name];
      fs[name] = (...args) => (fs.appendFileSync(${JSON.stringify(report)}, 'x'), sync(...args));
    }
    syncBuiltinESMExports();`;
  const server = await startServer(vault, [], [`--import=data:text/javascript,${encodeURIComponent(source)}`]);
  await server.call('get_hubs', {});
  await untilQuiet(server.pid);
  const before = statSync(report).size;
  await server.call('update_node', { id, properties: { status: 'counted' } });
  const syncs = statSync(report).size - before;
  await server.close();
  return syncs;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(2)} MB`;
