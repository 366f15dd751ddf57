import { RouxError } from '../../../../src/errors.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { openFolderStore } from '../../../../src/store/open-folder-store.ts';
import type { FolderStore } from '../../../../src/store/folder-store.ts';
import type { Prepared, StoreChange } from '../../../../src/store/store.ts';
import { reapplyLine } from '../../../crash/store-scenarios.ts';
import { Killed, failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { CallHook, DiskCall, DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { Crash } from '../../../support/simulated/simulated-crash.ts';
import { simulatedProcess } from '../../../support/simulated/simulated-process.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';
import { testPorts } from '../../../support/test-ports.ts';

/** One transaction on the files of a simulated disk. */
export interface Trial {
  readonly files: Readonly<Record<string, string>>;
  readonly changes: (store: FolderStore) => Promise<readonly StoreChange[]>;
  readonly traits?: DiskTraits;
  /** Texts that may have been there for a moment. */
  readonly texts?: readonly string[];
  /** What the transaction is to do beside the changes. */
  readonly prepared?: Omit<Prepared, 'changes'>;
  readonly key?: string;
}

/** What happens at a call of the disk while the transaction is made. */
export type Event =
  | { readonly kind: 'crash'; readonly how: Crash; readonly save?: Save; readonly again?: boolean }
  | { readonly kind: 'failure'; readonly code: string; readonly isLasting?: boolean; readonly isHit?: (call: DiskCall) => boolean }
  | { readonly kind: 'save'; readonly save: Save; readonly killedAfter?: number };

/** What a person does. */
export type Save = (disk: SimulatedDisk) => void;

/**
 * Makes a transaction once for each call that the disk has of it after it was planned, each time with the event at that call, and returns the
 * different ends in the order in which they come up: what the files, the trash and the history hold after the next start or the next look, what
 * can be undone, and what was answered and told. Told is how that differs from what was planned, or that nothing happened.
 */
export async function endsOf(trial: Trial, event: Event, step = 1): Promise<readonly string[]> {
  const planned = await play(trial, null, Infinity);
  const before = await play({ ...trial, changes: async () => [] }, null, Infinity);
  const ends = new Set<string>();
  const all = planned.calls.filter((call) => isTried(call, event)).map(({ index }) => index);
  for (const at of all.filter((_, order) => order % step === 0)) {
    const { state, told } = await play(trial, event, at);
    ends.add([difference(state, planned.state, before.state), ...new Set(told)].join(' | '));
  }
  return [...ends];
}

/** Makes a transaction without any event, and returns its end. */
export async function endOf(trial: Trial): Promise<readonly string[]> {
  const { state, told } = await play(trial, null, Infinity);
  return [...state, ...told];
}

function difference(state: readonly string[], planned: readonly string[], before: readonly string[]): string {
  const from = (other: readonly string[]): readonly string[] => [
    ...other.filter((item) => !state.includes(item)).map((item) => `- ${item}`),
    ...state.filter((item) => !other.includes(item)).map((item) => `+ ${item}`),
  ];
  const [fromPlanned, fromBefore] = [from(planned), from(before)];
  const isDone = fromPlanned.length <= fromBefore.length;
  return [isDone ? 'as planned' : 'as before', ...(isDone ? fromPlanned : fromBefore)].join('; ');
}

/** Whether an event at a call can have another end than at the call before: what is of the lock, and what nobody can come in between of, is tried elsewhere. */
function isTried({ method, path }: DiskCall, { kind }: Event): boolean {
  if (path.startsWith('.roux/lock')) return false;
  if (kind === 'crash') return CHANGING.has(method);
  return kind === 'failure' || !path.startsWith('.roux/') || path.endsWith('.old');
}

const CHANGING: ReadonlySet<string> = new Set([
  'create',
  'append',
  'makeFolder',
  'link',
  'rename',
  'remove',
  'write',
  'sync',
  'syncFolder',
  'removeFolder',
  'cut',
]);

function openStore(disk: SimulatedDisk, pid: number, log: string[]): FolderStore {
  return openFolderStore({
    files: disk.files,
    ports: testPorts(log),
    self: simulatedProcess(pid),
    git: { waitUntilDone: () => Promise.resolve(false) },
    reapply: reapplyLine,
    isReadOnly: false,
    isSynced: true,
    trashDays: 30,
  });
}

/** A disk with the files of a trial and the folders of roux, which each attempt has a copy of. */
const prepared = new WeakMap<Trial, SimulatedDisk>();

async function diskOf(trial: Trial): Promise<SimulatedDisk> {
  const known = prepared.get(trial) ?? simulatedDisk(trial.files, trial.traits);
  if (!prepared.has(trial)) {
    const store = openStore(known, 9, []);
    await store.transact({ operation: 'test', agent: 'ada' }, async () => ({ changes: [] }));
    await store.close();
    prepared.set(trial, known);
  }
  return known.crash('kill');
}

function play(
  trial: Trial,
  event: Event | null,
  at: number,
): Promise<{ state: readonly string[]; told: readonly string[]; calls: readonly DiskCall[] }> {
  return inSimulatedTime(async (time) => {
    const disk = await diskOf(trial);
    const log: string[] = [];
    const store = openStore(disk, 1, log);
    let [isKilled, start] = [false, 0];
    const hook = event === null ? null : hookOf(disk, event, at);
    disk.onCall((call) => {
      try {
        hook?.(call);
      } catch (error) {
        isKilled ||= error instanceof Killed;
        throw error;
      }
    });
    const answer = await answerOf(
      store.transact(
        { operation: 'test', agent: 'ada', ...(trial.key === undefined ? {} : { idempotencyKey: trial.key, payloadHash: 'p' }) },
        async () => {
          const changes = await trial.changes(store);
          start = disk.calls.length;
          return { ...trial.prepared, changes };
        },
      ),
    );
    const calls = disk.calls.slice(start);
    disk.onCall(null);
    if (!isKilled) {
      if (event?.kind === 'failure') await store.recover();
      await time.pause(3_000);
      await store.close();
      return { calls, state: describe(disk, trial), told: plain([answer, ...log]) };
    }
    const how = event?.kind === 'crash' ? event.how : 'kill';
    let next = how === 'kill' ? disk.afterKill() : disk.crash(how);
    if (event?.kind === 'crash') event.save?.(next);
    const told: string[] = [];
    if (event?.kind === 'crash' && event.again === true) {
      // Killed once more, in the middle of recovery.
      const half = next.calls.length + 25;
      next.onCall(({ index }) => {
        if (index >= half) throw new Killed();
      });
      await openStore(next, 2, [])
        .recover()
        .catch(() => undefined);
      next = next.afterKill();
    }
    const restarted = openStore(next, 3, told);
    await restarted.recover();
    await time.pause(3_000);
    await restarted.close();
    return { calls, state: describe(next, trial), told: plain(told) };
  });
}

function hookOf(disk: SimulatedDisk, event: Event, at: number): CallHook {
  let isSaved = false;
  return (call) => {
    if (event.kind === 'crash' && call.index >= at) throw new Killed();
    if (event.kind === 'failure' && (event.isLasting === true ? call.index >= at : call.index === at) && event.isHit?.(call) !== false)
      throw failure(event.code, call.path);
    if (event.kind !== 'save') return;
    if (call.index >= at && !isSaved) {
      isSaved = true;
      event.save(disk);
    }
    if (event.killedAfter !== undefined && call.index >= at + event.killedAfter) throw new Killed();
  };
}

async function answerOf(writing: Promise<{ readonly kind: string; readonly warnings?: readonly string[] }>): Promise<string> {
  try {
    const done = await writing;
    return ['done', ...(done.warnings ?? [])].join(' ');
  } catch (error) {
    if (!(error instanceof RouxError)) return String(error);
    return error.code === 'UNKNOWN_OUTCOME' ? error.code : `${error.code}: ${error.message}`;
  }
}

/** What a disk holds, item by item. */
function describe(disk: SimulatedDisk, trial: Trial): readonly string[] {
  const all = disk.all();
  const texts = new Map([...Object.values(trial.files), ...(trial.texts ?? []), ...Object.values(all)].map((text) => [hashOf(text), text]));
  const textOf = (hash: string | null | undefined): string =>
    hash === null || hash === undefined ? 'none' : JSON.stringify([...texts].find(([known]) => known.startsWith(hash))?.[1] ?? 'unknown');
  const listed = (pattern: RegExp): readonly string[] =>
    Object.entries(all).flatMap(([path, text]) => (pattern.test(path) ? [`${path.replace(pattern, '')}=${JSON.stringify(text)}`] : []));
  const history = Object.entries(all).flatMap(([path, text]) =>
    /^\.roux\/history\/\d{4}-\d{2}\.jsonl$/.test(path)
      ? text.split('\n').flatMap((line) => (line === '' ? [] : [describeLine(line, textOf)]))
      : [],
  );
  const batches = Object.entries(all).flatMap(([path, text]) =>
    /^\.roux\/history\/batches\/\w+\.json$/.test(path) ? describeSteps(text, textOf) : [],
  );
  const keys = Object.entries(all).filter(([path, text]) => path.startsWith('.roux/history/keys/') && text !== '');
  const parts: readonly [string, readonly string[]][] = [
    ['file', Object.entries(disk.visible()).map(([path, text]) => `${path}=${JSON.stringify(text)}`)],
    ['empty folder', foldersOf(disk)],
    ['trash', listed(/^\.roux\/trash\/\w{26}\//)],
    ['history', history],
    ['keys', keys.map(([, text]) => `${text.split('\n').length - 1}`)],
    ['undo', [...batches, ...listed(/^\.roux\/history\/batches\/\w+(?=\.\d)/)]],
    ['left', disk.residue().filter((path) => !path.startsWith('.roux/lock/'))],
  ];
  return plain(parts.flatMap(([name, values]) => values.toSorted().map((value) => `${name} ${value}`)));
}

/** Texts without ids, times and names of roux's own files. */
function plain(texts: readonly string[]): readonly string[] {
  return texts.map((text) =>
    text
      .replace(/\b[0-9a-z]{26}\b/g, 'ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/sync-conflict-\d{8}-\d{6}/g, 'COPY')
      .replace(/\b(E[A-Z]{2,}): \S*?(?=[.)]? |[.)]?$|,)/g, '$1'),
  );
}

/** Folders in which there is no file. */
function foldersOf(disk: SimulatedDisk): readonly string[] {
  const walk = (folder: string): readonly string[] => {
    const entries = (disk.files.list(folder) ?? []).filter(({ name }) => name !== '.roux');
    if (entries.length === 0 && folder !== '') return [folder];
    return entries.flatMap(({ name, kind }) => (kind === 'folder' ? walk(folder === '' ? name : `${folder}/${name}`) : []));
  };
  return walk('');
}

function describeLine(line: string, textOf: (hash: string | null | undefined) => string): string {
  const { action, path, hash } = JSON.parse(line) as { action: string; path: string; hash?: string };
  return `${action} ${path} ${textOf(hash)}`;
}

function describeSteps(text: string, textOf: (hash: string | null | undefined) => string): readonly string[] {
  const [, line = '{}'] = text.split('\n');
  const { steps } = JSON.parse(line) as {
    steps: readonly { kind: string; path?: string; from?: string; before?: string; after?: string }[];
  };
  return steps.map(({ kind, path, from, before, after }) => `${kind} ${path ?? from} ${textOf(before)}→${textOf(after)}`);
}
