import { RouxError, errorMessage } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { toNotePath } from '../../note/path.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import { eventsOfFile } from '../plan/history.ts';
import { revIn } from '../plan/note-text.ts';
import type { HistoryEvent } from '../plan/plan.ts';
import { toNoteOnDisk } from '../sync/read-note-now.ts';
import type { NoteOnDisk } from '../sync/read-note-now.ts';
import { inSlices } from './events.ts';
import { withGitStates } from './git/git-states.ts';
import type { GitStates, CommittedNote, PathsAt } from './git/git-states.ts';
import { statesOf, UNKNOWN_HASH } from './note-states.ts';
import type { NoteState, PresentFile } from './note-states.ts';
import { readIsoDate } from '../../note/iso-date.ts';

/** Names a note and a point in time. */
export interface AsOfQuery {
  /** A present or previous path, or an id; with or without `.md`. */
  readonly node: string;
  /** The caller gave a path: any note that ever had this path matches, including earlier ones. */
  readonly isPath: boolean;
  /** A time, a rev or a commit, as `parsePointInTime` takes them. */
  readonly at: string;
}

/** Where a past state of a note was found. */
export interface AsOf {
  readonly source: 'now' | 'history' | 'git';
  /** Start of the state, ISO 8601; for a commit, its commit time. */
  readonly time?: string;
  readonly commit?: string;
  /** Path of the note at that time. */
  readonly path: string;
}

/** A past state of a note. */
export interface PastNote {
  readonly onDisk: NoteOnDisk;
  readonly asOf: AsOf;
}

/** What a past state is looked up in. */
interface AsOfOptions {
  readonly root: string;
  readonly store: Pick<FolderStore, 'records' | 'read'>;
  readonly graph: GraphView;
  readonly unrecorded: () => Promise<readonly HistoryEvent[]>;
}

/** Number of notes followed back that had the same path one after the other. */
const MAX_LIFETIMES = 20;
const MAX_REPORTED_STATES = 20;

/**
 * Returns a past state of a note, byte for byte: from what writes displaced, the present file, the trash, or git (E-32). Throws
 * `NODE_NOT_FOUND`, with the states that are known, if the requested one is not.
 */
export async function readNoteAsOf(options: AsOfOptions, query: AsOfQuery): Promise<PastNote> {
  const point = parsePointInTime(query.at);
  const states = await listStates(options, query);
  const pathsAt = makePathsAt(states, query.node);
  const known = point.kind === 'commit' ? null : await findState(states, point);
  if (known?.kind === 'bytes') return toPastNote(known.state, known.bytes, states.at(-1) === known.state);
  if (known?.kind === 'gone' && !known.mayBeInGit) throw noStateError(query, states, known.why);
  let trouble = '';
  try {
    const found = await withGitStates(options.root, (git) => findInGit(git, point, known, pathsAt));
    if (found !== null) return toPastNoteFromGit(found);
    if (point.kind === 'commit') throw notInCommitError(query, point.name);
  } catch (error) {
    if (point.kind === 'commit' || !(error instanceof RouxError)) throw error;
    trouble = ` ${errorMessage(error)}`;
  }
  throw noStateError(query, states, `${known?.kind === 'gone' ? known.why : 'How it was then is not known.'}${trouble}`);
}

/** Returns the states of all notes that had the name, oldest first. */
async function listStates({ store, graph, unrecorded }: AsOfOptions, { node, isPath }: AsOfQuery): Promise<readonly NoteState[]> {
  const listEvents = async (of: Parameters<typeof eventsOfFile>[2]): Promise<readonly HistoryEvent[]> => {
    const events: HistoryEvent[] = [];
    for await (const event of eventsOfFile(store.records.events, graph, of)) events.push(event);
    return events.toReversed();
  };
  const found = graph.lookup(node);
  const present = found.kind === 'found' ? await readPresent(store, found.entry.path) : null;
  let events = await listEvents({ node, unrecorded: await unrecorded() });
  let states = await statesOf(store.records, events, present);
  for (let left = MAX_LIFETIMES; left > 0 && isPath && states[0]?.since === -Infinity; left -= 1) {
    const [{ seq, path } = { seq: 0, path: '' }] = events;
    events = await listEvents({ node: path, before: seq });
    const earlier = await statesOf(store.records, events, null);
    if (earlier.length === 0) break;
    // Nobody saw when this note ended, so its last state is certain only at its own event.
    const ended = earlier.map((state, index) =>
      index === earlier.length - 1 && state.hash !== null ? { ...state, sureUntil: state.since ?? -Infinity } : state,
    );
    states = [...ended, ...states.slice(1)];
  }
  return states;
}

async function readPresent(store: Pick<FolderStore, 'read'>, path: string): Promise<PresentFile | null> {
  const file = await store.read(path, { large: 'refuse' });
  return file === null
    ? null
    : { path: file.path, bytes: file.bytes, hash: file.hash, modifiedMs: Number(file.state.mtimeNs / 1_000_000n) };
}

type Found =
  | { readonly kind: 'bytes'; readonly state: NoteState; readonly bytes: Buffer }
  /** `mayBeInGit`: the note came from outside later, so an earlier commit may have it. */
  | { readonly kind: 'gone'; readonly why: string; readonly mayBeInGit: boolean }
  /** The state or its bytes are unknown. It started no earlier than `from`, and has this hash if one is known. */
  | { readonly kind: 'lost'; readonly from: number; readonly hash: string | null };

async function findState(states: readonly NoteState[], point: Exclude<PointInTime, { kind: 'commit' }>): Promise<Found | null> {
  if (point.kind === 'rev') return inSlices(findRev(states, point.rev));
  const state = states.findLast(({ since }) => since !== null && since <= point.ms);
  if (state === undefined) return null;
  const from = state.since ?? -Infinity;
  if (point.ms > from && point.ms >= state.sureUntil) return { kind: 'lost', from, hash: null };
  if (state.hash === null) {
    const { event } = state;
    const next = states[states.indexOf(state) + 1]?.event;
    const why = event === null ? 'It was made later.' : `It was gone since ${event.timestamp}, by ${event.agent}.`;
    return { kind: 'gone', why, mayBeInGit: event === null && next?.agent === 'external' };
  }
  const bytes = state.bytes();
  if (bytes !== null) return { kind: 'bytes', state, bytes };
  return { kind: 'lost', from, hash: state.hash === UNKNOWN_HASH ? null : state.hash };
}

/** Returns the last state with this rev, as it was when it got the rev. */
function* findRev(states: readonly NoteState[], rev: number): Generator<void, Found | null> {
  let found: Found | null = null;
  for (const state of states.toReversed()) {
    yield;
    const bytes = state.bytes();
    if (bytes !== null && revisionOf(state, bytes) === rev) found = { kind: 'bytes', state, bytes };
    else if (found !== null) break;
  }
  return found;
}

/** Returns the `rev` of a state, else the count of its changes. */
function revisionOf({ count }: NoteState, bytes: Buffer): number {
  return revIn(bytes.toString('utf8')) ?? count;
}

function findInGit(git: GitStates, point: PointInTime, known: Found | null, pathsAt: PathsAt): Promise<CommittedNote | null> {
  if (point.kind === 'commit') return git.inCommit(point.name, pathsAt);
  if (point.kind === 'rev') return git.withRev(point.rev, pathsAt);
  const { from, hash } = known?.kind === 'lost' ? known : { from: -Infinity, hash: null };
  return git.at({ time: point.ms, from, hash }, pathsAt);
}

/** So many names of a note are looked up in a commit: lines that came with a vault may tell of any number. */
const MAX_NAMES = 100;

/**
 * Returns a function that lists the paths of a note for a time: first the one it had then, then all others, newest first. Excludes paths
 * that tools may not read.
 */
function makePathsAt(states: readonly NoteState[], node: string): PathsAt {
  const names = [...new Set(states.toReversed().map(({ path }) => path))].slice(0, MAX_NAMES);
  const others = [...new Set([...names, node, `${node}.md`])].filter((path) => toNotePath(path) !== null);
  return (time) => {
    const then = states.findLast(({ since }) => since !== null && since <= time)?.path;
    return then === undefined || toNotePath(then) === null ? others : [then, ...others.filter((path) => path !== then)];
  };
}

function toPastNote(state: NoteState, bytes: Buffer, isNow: boolean): PastNote {
  const time = state.since === null ? null : new Date(state.since).toISOString();
  return {
    onDisk: { ...makeNoteOnDisk(state.path, bytes, state.since ?? 0), rev: revisionOf(state, bytes) },
    asOf: { source: isNow ? 'now' : 'history', ...(time === null ? {} : { time }), path: state.path },
  };
}

function toPastNoteFromGit({ commit: { id, time }, path, bytes }: CommittedNote): PastNote {
  const asOf: AsOf = { source: 'git', time: new Date(time).toISOString(), commit: id, path };
  return { onDisk: makeNoteOnDisk(path, bytes, time), asOf };
}

function makeNoteOnDisk(path: string, bytes: Buffer, ms: number): NoteOnDisk {
  const notePath = toNotePath(path);
  if (notePath === null) throw new RouxError('INVALID_PARAMS', `${JSON.stringify(path)} is no path of a note.`);
  return toNoteOnDisk(notePath, {
    bytes,
    hash: hashOf(bytes),
    state: { ino: 0n, mtimeNs: BigInt(Math.trunc(ms)) * 1_000_000n, birthNs: 0n },
  });
}

function notInCommitError({ node }: AsOfQuery, commit: string): RouxError {
  const text = `There is no note ${JSON.stringify(node)} in commit ${commit}, or the vault is in no git repository.`;
  return new RouxError('NODE_NOT_FOUND', text, { commit });
}

/** Returns the error for a time at which the note did not exist or is not known, listing the known states. */
function noStateError({ node, at }: AsOfQuery, states: readonly NoteState[], why: string): RouxError {
  const known = states
    .filter(({ hash, since }) => hash !== UNKNOWN_HASH && since !== -Infinity)
    .slice(-MAX_REPORTED_STATES)
    .map((state) => {
      const bytes = state.bytes();
      const rev = bytes === null ? null : revisionOf(state, bytes);
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

/** A point in time, as a caller names it. */
type PointInTime =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'rev'; readonly rev: number }
  | { readonly kind: 'commit'; readonly name: string };

/**
 * Parses an ISO date (meaning its end, local time) or date-time (local unless it has a zone), a note's `rev` as a whole number of at most
 * six digits, or a git commit: `HEAD`, or 7 to 40 hexadecimal digits. Throws `INVALID_PARAMS` for anything else.
 */
function parsePointInTime(text: string): PointInTime {
  const wanted = text.trim();
  if (wanted === 'HEAD' || /^[0-9a-f]{7,40}$/i.test(wanted))
    return { kind: 'commit', name: wanted === 'HEAD' ? wanted : wanted.toLowerCase() };
  if (/^\d{1,6}$/.test(wanted)) return { kind: 'rev', rev: Number(wanted) };
  const ms = parseEndOfDate(wanted);
  if (ms !== null) return { kind: 'time', ms };
  throw new RouxError(
    'INVALID_PARAMS',
    `as_of: ${JSON.stringify(text.slice(0, 100))} is no moment; give a time like 2026-01-31 or 2026-01-31T09:00:00Z, a rev like 3, or a commit.`,
    { field: 'as_of' },
  );
}

/** Returns the last millisecond of a date, or a date-time itself; null if the text is neither. */
function parseEndOfDate(text: string): number | null {
  const date = readIsoDate(text.trim().toUpperCase());
  if (date === null || date.hasTime) return date?.ms ?? null;
  const next = new Date(date.ms);
  return next.setDate(next.getDate() + 1) - 1;
}
