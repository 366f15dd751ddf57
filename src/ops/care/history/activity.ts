import * as z from 'zod';
import { isWebAuthor } from '../../../vault/history/web-author.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { Activity } from '../../../vault/history/activity.ts';
import { CHANGE_KINDS, kindOfChange } from '../../../vault/history/change-kind.ts';
import type { ChangeKind } from '../../../vault/history/change-kind.ts';
import { defineOperation, currentTime } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { readSince } from '../../call/since.ts';

/** Limits of a page and of one entry. */
const MAX_ENTRIES = 50;
const MAX_FILES = 12;
const MAX_AGENTS = 200;
export const MAX_NAME_CHARACTERS = 200;

/** Lists all writes, newest first. */
export const activity = defineOperation({
  name: 'activity',
  toolset: null,
  title: 'Activity',
  summary: 'Every write to the vault, newest first, with agent, time and files; and who wrote how often.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'refuse',
  input: z.strictObject({
    agent: z.string().max(1_000).optional(),
    /** What it did to a file. */
    kind: z.enum(CHANGE_KINDS).optional(),
    /** A part of a path, ignoring case. */
    path: z.string().max(4_096).optional(),
    /** A day or a time, ISO 8601. */
    since: z.string().max(100).optional(),
    cursor: z.string().max(200).optional(),
    limit: z.int().min(1).max(200).default(MAX_ENTRIES),
  }),
  async run(context, { since, ...query }) {
    const { vault } = context;
    const page = await vault.history.activity({ ...query, ...(since === undefined ? {} : { since: readSince(since) }) });
    const { agents, since: countedSince } = await vault.history.activeAgents();
    return {
      entries: page.entries.map((entry) => toEntry(entry, vault.graph)),
      ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }),
      ...(page.searchedUntil === null ? {} : { looked_until: page.searchedUntil }),
      agents: agents.slice(0, MAX_AGENTS).map(({ agent, writes, foreign, last }) => ({
        agent: shorten(agent, MAX_NAME_CHARACTERS),
        kind: kindOf(agent),
        writes,
        ...(foreign === 0 ? {} : { foreign }),
        last,
      })),
      ...(agents.length > MAX_AGENTS ? { agents_omitted: agents.length - MAX_AGENTS } : {}),
      ...(countedSince === null ? {} : { counted_since: countedSince }),
      now: currentTime(context),
    };
  },
});

/** Returns whether the author was an agent, a person (on the page or in a terminal), an external program, or roux itself. */
function kindOf(agent: string): 'agent' | 'person' | 'outside' | 'roux' {
  if (agent === 'external') return 'outside';
  if (agent === 'roux') return 'roux';
  return agent === 'cli' || isWebAuthor(agent) ? 'person' : 'agent';
}

/** Converts a write to an entry. Existing notes have their present titles. */
export function toEntry(
  { id, batch, agent, timestamp, hasUndoData: isKept, isUndo, isRecorded, isForeign, events }: Activity,
  graph: Pick<GraphView, 'get'>,
) {
  const kinds = new Map<ChangeKind, number>();
  const files = new Map<string, (typeof events)[number]>();
  for (const event of events) files.set(event.path, event);
  const changed = [...files.values()].map((event) => ({ event, kind: kindOfChange(event) }));
  for (const { kind } of changed) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return {
    id,
    batch,
    agent: shorten(agent, MAX_NAME_CHARACTERS),
    kind: kindOf(agent),
    timestamp,
    /** It can be undone unless later changes conflict. */
    is_kept: isKept,
    is_undo: isUndo,
    is_recorded: isRecorded,
    /** It was not written in this folder by this user. */
    ...(isForeign ? { foreign: true } : {}),
    changes: [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count),
    files: changed.slice(0, MAX_FILES).map(({ event, kind }) => {
      const was = event.changes.find(({ field }) => field === 'path')?.before;
      const title = event.hash === undefined ? undefined : graph.get(event.path)?.title;
      return {
        path: event.path,
        ...(title === undefined ? {} : { title: shorten(title, MAX_NAME_CHARACTERS) }),
        change: kind,
        ...(typeof was === 'string' && event.action !== 'created' ? { was } : {}),
        is_gone: event.hash === undefined,
      };
    }),
    file_count: files.size,
  };
}
