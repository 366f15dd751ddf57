// One roux process of the crash and concurrency tests: it opens the built writer on a real folder and does as it is told on stdin's behalf.
import { readFileSync, readdirSync } from 'node:fs';
import { openGraph } from '../../dist/graph/open-graph.js';
import { parseNote } from '../../dist/note/parse.js';
import { createGitActivity } from '../../dist/store/folder/git.js';
import { hashOf } from '../../dist/store/folder/hash.js';
import { openNodeFileSystem } from '../../dist/store/folder/node-file-system.js';
import { thisProcess } from '../../dist/store/folder/process-identity.js';
import { openFolderStore } from '../../dist/store/open-folder-store.js';
import { WriteCounts } from '../../dist/vault/history/write-counts.js';
import { ExternalEdits } from '../../dist/vault/plan/external-edits.js';
import { reapplyChanges } from '../../dist/vault/plan/note-text.js';
import { openWriter } from '../../dist/vault/plan/write.js';
import { monotonicFactory } from 'ulid';

const [, , root, task, ...rest] = process.argv;
const graph = openGraph();
const read = (path) => {
  try {
    return readFileSync(`${root}/${path}`, 'utf8');
  } catch {
    return null;
  }
};
const index = (paths) => {
  for (const path of paths.filter((name) => name.endsWith('.md'))) {
    const text = read(path);
    if (text === null) graph.remove(path);
    else graph.put(parseNote(path, text), { stamp: { size: text.length, mtimeNs: 0n, ctimeNs: 0n, ino: 0n }, hash: hashOf(text) });
  }
};
const scan = () => index(readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => !path.startsWith('.roux')));
const next = monotonicFactory();
const log = (message) => process.stderr.write(`${message}\n`);
const ports = {
  clock: { now: () => Date.now() },
  newId: () => next().toLowerCase(),
  // Processes that wait for one another do not wait alike.
  random: () => (process.pid % 97) / 97,
  secret: () => Buffer.alloc(32, 7),
  log: { info: log, warn: log, error: log },
};
const store = openFolderStore({
  files: openNodeFileSystem(root),
  ports,
  self: thisProcess(),
  git: createGitActivity(root),
  reapply: reapplyChanges,
  isReadOnly: false,
  isSynced: process.env.ROUX_TEST_DURABILITY !== 'relaxed',
  trashDays: 0,
});
const external = new ExternalEdits(ports, graph);
store.listen({ onEvents: (events) => external.applyEvents(events), onChanged: index, onReport: () => undefined });
const writer = openWriter({
  store,
  ports,
  config: { readOnly: false, filenames: 'title' },
  graph,
  external,
  counts: new WriteCounts(store.records.events, external),
  // As in a vault: what the history does not tell is found by looking at everything.
  catchUp: async (depth) => (depth === 'strict' ? scan() : undefined),
  index,
  sync: { isShrunk: false },
  settings: { linkStyle: () => ({ format: 'shortest', markdown: false }), config: { writes: { stamp: false } } },
  rootCheck: { look: () => 'there' },
  unsettled: { linksTo: () => [] },
  onUnsettled: () => undefined,
  isRecording: true,
});
const meta = { operation: 'test', agent: `process ${process.pid}` };
const say = (text) => process.stdout.write(`${text}\n`);
const at = '2026-01-01T00:00:00.000Z';

/** The k-th write of the counting vault: three notes and a log together, and a rename every third time. */
export function countingPlan(k) {
  const set = (path) => ({
    kind: 'change',
    path,
    changes: [
      { op: 'set', key: ['n'], value: k },
      { op: 'touch', at },
    ],
  });
  const files = [
    set('a.md'),
    set('b.md'),
    { kind: 'change', path: 'log.md', changes: [{ op: 'add-line', section: 'Observations', line: `${k}` }] },
  ];
  const [from, to] = read('x.md') === null ? ['y', 'x'] : ['x', 'y'];
  const relink = { op: 'relink', links: [{ link: from, form: 'wikilink', to }] };
  if (k % 3 === 0)
    files.push({ kind: 'move', from: `${from}.md`, to: `${to}.md`, changes: [] }, { kind: 'change', path: 'links.md', changes: [relink] });
  if (k % 5 === 1) files.push({ kind: 'create', path: `made/${k}.md`, text: `Made ${k}\n` });
  if (k % 5 === 3 && read(`made/${k - 2}.md`) !== null) files.push({ kind: 'remove', path: `made/${k - 2}.md`, to: 'gone' });
  return { files };
}

await store.recover();
// After it, as a vault does: what others write from here on, the history tells.
scan();
say('ready');
switch (task) {
  case 'count':
    for (let k = Number(rest[0]); ; k++) {
      await writer.write(meta, () => countingPlan(k));
      say(`done ${k}`);
    }
  case 'append': {
    // All at once, as many agents on one server do.
    const [name, count] = rest;
    await Promise.all(
      Array.from({ length: Number(count) }, async (_, number) => {
        const line = `${name} ${number}`;
        await writer.write(meta, () => ({
          files: [
            {
              kind: 'change',
              path: 'shared.md',
              changes: [
                { op: 'add-line', section: 'Observations', line },
                { op: 'touch', at },
              ],
            },
            {
              kind: 'change',
              path: `${name}.md`,
              changes: [
                { op: 'append', key: ['tags'], value: `t${number}` },
                { op: 'touch', at },
              ],
            },
          ],
        }));
        say(`done ${line}`);
      }),
    );
    break;
  }
  case 'create':
    for (const path of rest) {
      try {
        await writer.write(meta, () => ({ files: [{ kind: 'create', path, text: `${process.pid}\n` }] }));
        say(`done ${path}`);
      } catch (error) {
        say(`refused ${error.code}`);
      }
    }
    break;
  case 'keyed': {
    const done = await writer.write({ ...meta, idempotencyKey: rest[0], payloadHash: 'p' }, () => ({
      files: [{ kind: 'change', path: 'shared.md', changes: [{ op: 'add-line', section: 'Observations', line: 'keyed' }] }],
      result: { by: process.pid },
    }));
    say(`done ${JSON.stringify(done.result)} ${done.isReplay === true}`);
    if (rest[1] === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
    break;
  }
  case 'hold':
    // Holds the lock while its plan waits for a line.
    await writer.write(meta, async () => {
      say('holding');
      await new Promise((resolve) => process.stdin.once('data', resolve));
      return { files: [{ kind: 'change', path: 'shared.md', changes: [{ op: 'add-line', section: 'Observations', line: 'held' }] }] };
    });
    say('done');
    process.stdin.destroy();
    break;
  case 'until-signal': {
    let isStopping = false;
    process.once('SIGTERM', () => {
      isStopping = true;
    });
    for (let k = Number(rest[0]); !isStopping; k++) {
      await writer.write(meta, () => countingPlan(k));
      say(`done ${k}`);
    }
    break;
  }
}
await writer.close();
await store.close();
