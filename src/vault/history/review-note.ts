import { bodyStartOf, readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { isNotePath } from '../../note/path.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import { isTooLarge } from '../../store/folder/hash.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import { diffTexts } from '../plan/unified-diff.ts';
import { statesOf } from './note-states.ts';
import type { NoteState } from './note-states.ts';
import { bodyAfter, lastPathOf } from './review.ts';
import type { FileChanges } from './review.ts';

/** Consecutive changes to a note by one side: agents or people. */
export interface ReviewedPart {
  readonly of: 'agent' | 'person';
  readonly by: readonly string[];
  /** ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** The unified diff; null if a text is no longer stored or the file is not text. */
  readonly diff: string | null;
  /** Why the diff is missing, cut, or limited to the body. */
  readonly remark?: string;
}

/** One write of an agent to a note. */
export interface ReviewedWrite {
  readonly batch: string | null;
  readonly agent: string;
  readonly action: string;
  readonly timestamp: string;
}

/** What agents did to one note. */
export interface ReviewedNote {
  /** Its present path, or its last one if it was deleted. */
  readonly path: string;
  /** The path before the first change, if it was different. */
  readonly was?: string;
  /** `passed`: created and deleted again. */
  readonly kind: 'created' | 'deleted' | 'renamed' | 'changed' | 'passed';
  readonly writes: readonly ReviewedWrite[];
  /** In order. A single part by agents, unless people changed the note in between. */
  readonly parts: readonly ReviewedPart[];
}

const MAX_DIFF_CHARACTERS = 200_000;

/** Reviews what agents did to a file, using the texts that are still stored. */
export async function reviewNote(
  store: Pick<FolderStore, 'records' | 'read'>,
  file: FileChanges,
  isByAgent: (event: HistoryEvent) => boolean,
): Promise<ReviewedNote> {
  const { events, isDeleted } = file;
  const writes = listWrites(events.filter(isByAgent));
  const path = lastPathOf(file);
  const begins = events[0]?.action === 'created';
  if (begins && isDeleted && events.every(isByAgent)) return { path, kind: 'passed', writes, parts: [] };
  const now = isDeleted ? null : await store.read(path, { large: 'leave' });
  const present =
    now === null || isTooLarge(now.state)
      ? null
      : { path, bytes: now.bytes, hash: now.hash, modifiedMs: Number(now.state.mtimeNs / 1_000_000n) };
  const runs = listRuns(await statesOf(store.records, events, present), isByAgent);
  const [first, last] = [runs[0]?.before, runs.at(-1)?.after];
  const isNamed = first !== undefined && first.hash !== null;
  // Somebody may have renamed it after the last change, and given its name to another note.
  const was = isNamed && first.path !== path ? { was: first.path } : {};
  const isMoved = isNamed && first.path !== last?.path;
  const kind = first?.hash === null ? 'created' : last?.hash === null ? 'deleted' : isMoved ? 'renamed' : 'changed';
  return { path, ...was, kind, writes, parts: runs.map(toPart) };
}

interface Run {
  readonly of: ReviewedPart['of'];
  readonly before: NoteState;
  after: NoteState;
  readonly by: Set<string>;
  readonly from: string | null;
}

/** Groups the states into runs by agents and by people, from the first change of an agent to the last. */
function listRuns(states: readonly NoteState[], isByAgent: (event: HistoryEvent) => boolean): readonly Run[] {
  const runs: Run[] = [];
  for (const [index, state] of states.entries()) {
    const before = states[index - 1];
    if (before === undefined) continue;
    const { event } = state;
    const of = event !== null && isByAgent(event) ? 'agent' : 'person';
    const last = runs.at(-1);
    if (last?.of === of) {
      last.after = state;
      last.by.add(event?.agent ?? 'external');
    } else if (of === 'agent' || last !== undefined) {
      const from = state.since === null || state.since === -Infinity ? null : new Date(state.since).toISOString();
      runs.push({ of, before, after: state, by: new Set([event?.agent ?? 'external']), from });
    }
  }
  return runs.at(-1)?.of === 'person' ? runs.slice(0, -1) : runs;
}

function toPart({ of, before, after, by, from }: Run): ReviewedPart {
  const { since } = after;
  const to = since === null || since === -Infinity ? null : new Date(since).toISOString();
  return { of, by: [...by].toSorted(), from, to, ...diffOf(before, after) };
}

/** Returns the difference between two states of a file, as far as their texts are stored. */
export function diffOf(before: NoteState, after: NoteState): Pick<ReviewedPart, 'diff' | 'remark'> {
  const [from, to] = [before.hash === null ? '/dev/null' : `a/${before.path}`, after.hash === null ? '/dev/null' : `b/${after.path}`];
  const isMoved = before.hash !== null && after.hash !== null && before.path !== after.path;
  const head = isMoved ? `rename from ${before.path}\nrename to ${after.path}\n` : '';
  if (!isNotePath(after.path)) return { diff: head === '' ? null : head, remark: 'it is no note: what is in it is not compared' };
  if (isMoved && before.hash === after.hash) return { diff: head };
  const [old, present] = [before.hash === null ? '' : textOf(before), after.hash === null ? '' : textOf(after)];
  if (old === null || present === null) return diffBodies({ before, after, from, to, old });
  if (old === present) return { diff: head, ...(head === '' ? { remark: 'in the end nothing is different' } : {}) };
  const diff = head + diffTexts({ from, to }, old, present);
  return diff.length <= MAX_DIFF_CHARACTERS
    ? { diff }
    : {
        diff: `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF_CHARACTERS) + 1)}`,
        remark: `cut: the difference has ${diff.length} characters`,
      };
}

function diffBodies({
  before,
  after,
  from,
  to,
  old,
}: {
  before: NoteState;
  after: NoteState;
  from: string;
  to: string;
  old: string | null;
}): Pick<ReviewedPart, 'diff' | 'remark'> {
  const [was, is] = [before.hash === null ? '' : bodyOf(before), after.hash === null ? '' : bodyOf(after)];
  if (was !== null && is !== null && was !== is)
    return { diff: diffTexts({ from, to }, was, is), remark: 'the body alone: its properties then are not kept' };
  const which = old === null ? 'before' : 'after';
  return { diff: null, remark: `the text ${which} it is not kept any more; "roux history" tells which fields changed` };
}

/** Returns the body of a state: from its text, or from the history, which stores short ones. Null if neither is available. */
function bodyOf(state: NoteState): string | null {
  const text = textOf(state);
  if (text !== null) return text.slice(bodyStartOf(text, readFrontmatter(text).block));
  return state.event === null ? null : bodyAfter(state.event);
}

function textOf(state: NoteState): string | null {
  return state.bytes()?.toString('utf8') ?? null;
}

function listWrites(events: readonly HistoryEvent[]): readonly ReviewedWrite[] {
  const writes = new Map<string, ReviewedWrite>();
  for (const { batch = null, agent, action, timestamp, seq } of events) writes.set(batch ?? `#${seq}`, { batch, agent, action, timestamp });
  return [...writes.values()];
}
