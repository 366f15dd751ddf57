import { RouxError, errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { toNotePath } from '../../note/path.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { FolderStore } from '../../store/open-folder-store.ts';
import { eventsOfFile } from '../plan/history.ts';
import { revIn } from '../plan/note-text.ts';
import type { HistoryEvent } from '../plan/plan.ts';
import { toNoteOnDisk } from '../sync/read-note-now.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';
import { withGitStates } from './git-states.ts';
import type { GitStates, InGit, PathsAt } from './git-states.ts';
import { readMoment } from './moment.ts';
import type { Moment } from './moment.ts';
import { statesOf, UNKNOWN } from './note-states.ts';
import type { NoteState, Present } from './note-states.ts';

/** Which note, and when. */
export interface AsOfQuery {
  /** A path, present or former, or an id; with or without `.md`. */
  readonly node: string;
  /** The caller named it by a path: whatever note was there is meant, also one before this one. */
  readonly isPath: boolean;
  /** A time, a rev or a commit, as `readMoment` takes them. */
  readonly at: string;
}

/** Where a state of a note was found. */
export interface AsOf {
  readonly source: 'now' | 'history' | 'git';
  /** From when on it was so, ISO 8601; of a commit, when it was committed. */
  readonly time?: string;
  readonly commit?: string;
  /** Where the note was then. */
  readonly path: string;
}

/** A note as it was. */
export interface PastNote {
  readonly onDisk: NoteOnDisk;
  readonly asOf: AsOf;
}

/** What is needed to tell how a note was. */
export interface AsOfOptions {
  readonly root: string;
  readonly store: Pick<FolderStore, 'records' | 'batches' | 'trash' | 'read'>;
  readonly graph: GraphView;
  readonly unrecorded: () => Promise<readonly HistoryEvent[]>;
}

/** So many notes that had one name after another are followed back, and so many states named in an error. */
const MAX_LIFETIMES = 20;
const MAX_REPORTED = 20;

/**
 * A note as it was: byte for byte from what writes displaced, from the present file or the trash, else from git (E-32). `NODE_NOT_FOUND`
 * where that is not known, with the states that are.
 */
export async function readAsOf(options: AsOfOptions, query: AsOfQuery): Promise<PastNote> {
  const moment = readMoment(query.at);
  const states = await listStates(options, query);
  const pathsAt = openPaths(states, query.node);
  const known = moment.kind === 'commit' ? null : findState(states, moment);
  if (known?.kind === 'bytes') return toPast(known.state, known.bytes, states.at(-1) === known.state);
  if (known?.kind === 'gone' && !known.mayBeInGit) throw notThen(query, states, known.why);
  let trouble = '';
  try {
    const found = await withGitStates(options.root, (git) => askGit(git, moment, known, pathsAt));
    if (found !== null) return toPastInGit(found);
    if (moment.kind === 'commit') throw notInCommit(query, moment.name);
  } catch (error) {
    if (moment.kind === 'commit' || !(error instanceof RouxError)) throw error;
    trouble = ` ${errorMessage(error)}`;
  }
  throw notThen(query, states, `${known?.kind === 'gone' ? known.why : 'How it was then is not known.'}${trouble}`);
}

/** The states of all notes that the name stood for, the oldest first. */
async function listStates({ store, graph, unrecorded }: AsOfOptions, { node, isPath }: AsOfQuery): Promise<readonly NoteState[]> {
  const listEvents = async (of: Parameters<typeof eventsOfFile>[2]): Promise<readonly HistoryEvent[]> => {
    const events: HistoryEvent[] = [];
    for await (const event of eventsOfFile(store.records.events, graph, of)) events.push(event);
    return events.toReversed();
  };
  const found = graph.lookup(node);
  const present = found.kind === 'found' ? await lookAt(store, found.entry.path) : null;
  let events = await listEvents({ node, unrecorded: await unrecorded() });
  let states = statesOf(store, events, present);
  for (let left = MAX_LIFETIMES; left > 0 && isPath && states[0]?.since === -Infinity; left -= 1) {
    const [{ seq, path } = { seq: 0, path: '' }] = events;
    events = await listEvents({ node: path, before: seq });
    const earlier = statesOf(store, events, null);
    if (earlier.length === 0) break;
    // That its end was seen by nobody makes its last state sure for a moment only.
    const ended = earlier.map((state, index) =>
      index === earlier.length - 1 && state.hash !== null ? { ...state, sureUntil: state.since ?? -Infinity } : state,
    );
    states = [...ended, ...states.slice(1)];
  }
  return states;
}

async function lookAt(store: Pick<FolderStore, 'read'>, path: string): Promise<Present | null> {
  const file = await store.read(path, { large: 'refuse' });
  return file === null
    ? null
    : { path: file.path, bytes: file.bytes, hash: file.hash, modifiedMs: Number(file.state.mtimeNs / 1_000_000n) };
}

type Found =
  | { readonly kind: 'bytes'; readonly state: NoteState; readonly bytes: Buffer }
  /** `mayBeInGit`: somebody else brought it here later, so that it may have been in a commit before. */
  | { readonly kind: 'gone'; readonly why: string; readonly mayBeInGit: boolean }
  /** Its bytes, or which one it was, is not known: not before this time, and of this hash where that is known. */
  | { readonly kind: 'lost'; readonly from: number; readonly hash: string | null };

function findState(states: readonly NoteState[], moment: Exclude<Moment, { kind: 'commit' }>): Found | null {
  if (moment.kind === 'rev') return findRev(states, moment.rev);
  const state = states.findLast(({ since }) => since !== null && since <= moment.ms);
  if (state === undefined) return null;
  const from = state.since ?? -Infinity;
  if (moment.ms > from && moment.ms >= state.sureUntil) return { kind: 'lost', from, hash: null };
  if (state.hash === null) {
    const { event } = state;
    const next = states[states.indexOf(state) + 1]?.event;
    const why = event === null ? 'It was made later.' : `It was gone since ${event.timestamp}, by ${event.agent}.`;
    return { kind: 'gone', why, mayBeInGit: event === null && next?.agent === 'external' };
  }
  const bytes = state.bytes();
  if (bytes !== null) return { kind: 'bytes', state, bytes };
  return { kind: 'lost', from, hash: state.hash === UNKNOWN ? null : state.hash };
}

/** The state that came to have a rev last. */
function findRev(states: readonly NoteState[], rev: number): Found | null {
  let found: Found | null = null;
  for (const state of states.toReversed()) {
    const bytes = state.bytes();
    if (bytes !== null && revIn(bytes.toString('utf8')) === rev) found = { kind: 'bytes', state, bytes };
    else if (found !== null) break;
  }
  return found;
}

function askGit(git: GitStates, moment: Moment, known: Found | null, pathsAt: PathsAt): Promise<InGit | null> {
  if (moment.kind === 'commit') return git.inCommit(moment.name, pathsAt);
  if (moment.kind === 'rev') return git.withRev(moment.rev, pathsAt);
  const { from, hash } = known?.kind === 'lost' ? known : { from: -Infinity, hash: null };
  return git.at({ time: moment.ms, from, hash }, pathsAt);
}

/** The paths of a note by time: the one that it had then, then all others, the newest first. No name that tools may not read is among them. */
function openPaths(states: readonly NoteState[], node: string): PathsAt {
  const others = [...states.toReversed().map(({ path }) => path), node, `${node}.md`];
  return (time) => {
    const then = states.findLast(({ since }) => since !== null && since <= time)?.path;
    return [...new Set(then === undefined ? others : [then, ...others])].filter((path) => toNotePath(path) !== null);
  };
}

function toPast(state: NoteState, bytes: Buffer, isNow: boolean): PastNote {
  const time = state.since === null ? null : new Date(state.since).toISOString();
  return {
    onDisk: onDiskOf(state.path, bytes, state.since ?? 0),
    asOf: { source: isNow ? 'now' : 'history', ...(time === null ? {} : { time }), path: state.path },
  };
}

function toPastInGit({ commit: { id, time }, path, bytes }: InGit): PastNote {
  const asOf: AsOf = { source: 'git', time: new Date(time).toISOString(), commit: id, path };
  return { onDisk: onDiskOf(path, bytes, time), asOf };
}

function onDiskOf(path: string, bytes: Buffer, ms: number): NoteOnDisk {
  const notePath = toNotePath(path);
  if (notePath === null) throw new RouxError('INVALID_PARAMS', `${JSON.stringify(path)} is no path of a note.`);
  return toNoteOnDisk(notePath, {
    bytes,
    hash: hashOf(bytes),
    state: { ino: 0n, mtimeNs: BigInt(Math.trunc(ms)) * 1_000_000n, birthNs: 0n },
  });
}

function notInCommit({ node }: AsOfQuery, commit: string): RouxError {
  const text = `There is no note ${JSON.stringify(node)} in commit ${commit}, or the vault is in no git repository.`;
  return new RouxError('NODE_NOT_FOUND', text, { commit });
}

/** The error of a moment at which a note was not there or is not known, with what is known: times, revs, and who. */
function notThen({ node, at }: AsOfQuery, states: readonly NoteState[], why: string): RouxError {
  const known = states
    .filter(({ hash, since }) => hash !== UNKNOWN && since !== -Infinity)
    .slice(-MAX_REPORTED)
    .map((state) => {
      const bytes = state.bytes();
      const rev = bytes === null ? null : revIn(bytes.toString('utf8'));
      return {
        time: state.since === null ? null : new Date(state.since).toISOString(),
        by: state.event?.agent ?? null,
        action: state.event?.action ?? null,
        path: state.path,
        ...(rev === null ? {} : { rev }),
        kept: state.hash === null || bytes !== null,
      };
    });
  const readable = known.filter(({ kept, action }) => kept && action !== 'deleted');
  const list = readable.map(
    ({ time, rev, by }) => `${time ?? 'once'}${rev === undefined ? '' : ` (rev ${rev})`}${by === null ? '' : ` by ${by}`}`,
  );
  const remedy =
    readable.length === 0
      ? 'Nothing is kept of it; "roux history" tells what happened.'
      : `Ask for one of its known states: ${list.join('; ')}.`;
  const text = `There is no text of ${JSON.stringify(node)} as of ${JSON.stringify(at)}. ${why} ${remedy}`;
  return new RouxError('NODE_NOT_FOUND', text, { as_of: at, states: known });
}
