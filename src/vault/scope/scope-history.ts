import { RouxError } from '../../errors.ts';
import type { FolderScope } from '../../folder-globs.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import type { FieldChange } from '../../store/records/history-event.ts';
import type { EventFilter } from '../history/events.ts';
import { trackFingerprint } from '../history/version.ts';
import type { BaseVersion } from '../history/version.ts';
import { historyCursor } from '../plan/history.ts';
import type { HistoryEvent, HistoryPage, HistoryQuery } from '../plan/plan.ts';
import type { History } from '../vault.ts';
import type { Scope } from './scope.ts';

/** Events read at once; some may be of files outside. */
const MAX_EVENTS_PER_READ = 1_000;

/** The version of what a view sees. */
export class ScopeVersion {
  readonly #graph: GraphView;
  #fingerprint: (() => string) | undefined;

  constructor(graph: GraphView) {
    this.#graph = graph;
  }

  /** Returns the version; its sequence number is 0, as the real one would reveal writes outside. */
  text(): string {
    return `0-${(this.#fingerprint ??= trackFingerprint(this.#graph))()}`;
  }

  /** Throws `CONFLICT` for a call based on another version, as far as the graph knows. */
  check(based: BaseVersion | undefined): void {
    if (based === undefined || based.isChecked) return;
    based.isChecked = true;
    const present = this.text();
    if (present.slice(present.indexOf('-')) === based.version.slice(based.version.indexOf('-'))) return;
    const message = `What this token sees of the vault is at version ${present}, not ${based.version} any more. Read again what this is based on, then repeat it with if_version ${present}.`;
    throw new RouxError('CONFLICT', message, { version: present, if_version: based.version });
  }
}

/** Returns the history of a view: only what happened in its folders. */
export function scopeHistory(
  scope: Scope,
  version: ScopeVersion,
): Omit<History, 'review' | 'acceptReview' | 'findMovedNote' | 'loadOriginals' | 'findOriginal'> {
  const { whole, folders } = scope;
  const filter = limitEvents(folders);
  return {
    ofNote: (query) => readHistory(scope, query),
    isUndo: (batch) => whole.history.isUndo(batch),
    activity: (query) => whole.history.activity(query, filter),
    activeAgents: () => whole.history.activeAgents(filter),
    async writeDiff(id, part) {
      const found = await whole.history.writeDiff(id, part, filter);
      if (found === null) return null;
      const cameIn = new Set(found.activity.events.flatMap((event) => (cameFromOutside(event) ? [event.path] : [])));
      const files = found.files.map(({ now, diff, ...file }) => ({
        ...file,
        ...(cameIn.has(file.path) ? { diff: null, remark: 'what it was before is not to be seen with this token' } : { diff }),
        now: now !== null && folders.has(now) ? now : null,
      }));
      return { ...found, files };
    },
    async ofNotes({ nodes, ...query }) {
      const found = new Map<string, readonly HistoryEvent[]>();
      for (const node of nodes) found.set(node, (await readHistory(scope, { node, ...query })).events);
      return found;
    },
    async *backward() {
      for await (const event of whole.history.backward()) yield* filter([event]);
    },
    branchNotes: async (folder) => (await whole.history.branchNotes(folder)).filter(({ path }) => folders.has(path)),
    authorsOf: (paths) => whole.history.authorsOf(paths.filter((path) => folders.has(path))),
    async asOf(query) {
      const node = nameInVault(scope, query.node);
      try {
        const past = node === null ? null : await whole.history.asOf({ ...query, node });
        if (past !== null && folders.has(past.asOf.path)) return past;
      } catch (error) {
        if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || isAllInside(folders, error)) throw error;
      }
      throw new RouxError('NODE_NOT_FOUND', `There is no text of ${JSON.stringify(query.node)} as of ${JSON.stringify(query.at)}.`, {
        as_of: query.at,
      });
    },
    async version() {
      await whole.refresh('changed');
      return version.text();
    },
    async requireVersion(based) {
      if (based.isChecked) return;
      await whole.refresh('changed');
      version.check(based);
    },
    async movedNotes() {
      const inside = (moves: ReadonlyMap<string, string>) =>
        new Map([...moves].filter(([from, to]) => folders.has(from) && folders.has(to)));
      const { own, foreign, unread } = await whole.history.movedNotes();
      return { own: inside(own), foreign: inside(foreign), unread: inside(unread) };
    },
  };
}

/** Returns a filter that keeps the events of files inside, without names of files outside. */
export function limitEvents(folders: FolderScope): EventFilter {
  return (events) => events.filter(({ path }) => folders.has(path)).map((event) => redactEvent(folders, event));
}

/** Returns a name by which the whole vault finds the same note; null if that is outside. */
function nameInVault({ whole, graph, folders }: Scope, node: string): string | null {
  const found = graph.lookup(node);
  if (found.kind === 'found') return found.entry.path;
  if (found.kind === 'ambiguous') return node;
  const there = whole.graph.lookup(node);
  const paths = there.kind === 'found' ? [there.entry.path] : there.kind === 'ambiguous' ? there.candidates.map(({ path }) => path) : [];
  return paths.some((path) => !folders.has(path)) && !folders.has(node) ? null : node;
}

async function readHistory(scope: Scope, query: HistoryQuery): Promise<HistoryPage> {
  const { whole, graph, folders } = scope;
  const node = nameInVault(scope, query.node);
  if (node === null) return { events: [], nextCursor: null };
  const isKnown = graph.lookup(query.node).kind !== 'missing' || [node, `${node}.md`].some((path) => folders.has(path));
  const events: HistoryEvent[] = [];
  let last: HistoryEvent | undefined;
  for (let cursor = query.cursor; ;) {
    const page = await whole.history.ofNote({ ...query, node, limit: MAX_EVENTS_PER_READ, ...(cursor === undefined ? {} : { cursor }) });
    for (const event of page.events) {
      if (!folders.has(event.path)) continue;
      // A deleted note is found only by the names that it had inside.
      if (!isKnown && events.length === 0 && !matchesName(event, query.node)) return { events: [], nextCursor: null };
      if (events.length === query.limit) return { events, nextCursor: historyCursor(last) };
      events.push(redactEvent(folders, event));
      last = event;
    }
    if (page.nextCursor === null) return { events, nextCursor: null };
    cursor = page.nextCursor;
  }
}

function matchesName({ node, path }: HistoryEvent, name: string): boolean {
  const [wanted, ...had] = [name, node, path, path.replace(/\.md$/i, '')].map((each) => foldKey(normalizeId(each)));
  return wanted !== undefined && had.includes(wanted);
}

/** Fields that contain names of other notes. */
const NAMING_FIELDS: ReadonlySet<string> = new Set(['path', 'linked_from', 'merged_from', 'merged_into']);

/** Removes from an event the names of files outside, and the content from before the file came inside. */
function redactEvent(folders: FolderScope, event: HistoryEvent): HistoryEvent {
  const cameIn = event.changes.some(({ field, before }) => field === 'path' && typeof before === 'string' && !folders.has(before));
  const redact = (value: unknown): FieldChange['after'] => {
    if (Array.isArray(value)) return value.map(redact).filter((each) => each !== null);
    return typeof value === 'string' && (!/\/|\.md$/i.test(value) || folders.has(value)) ? value : null;
  };
  const changes = event.changes.map(({ field, before, after }) => ({
    field,
    before: cameIn ? null : NAMING_FIELDS.has(field) ? redact(before) : before,
    after: NAMING_FIELDS.has(field) ? redact(after) : after,
  }));
  return { ...event, changes };
}

/** Returns whether a redacted event says that the file came from outside. */
function cameFromOutside({ action, changes }: HistoryEvent): boolean {
  return action !== 'created' && changes.some(({ field, before }) => field === 'path' && before === null);
}

function isAllInside(folders: FolderScope, { details }: RouxError): boolean {
  const states: unknown = details?.['states'];
  if (!Array.isArray(states) || states.length === 0) return false;
  return states.every((state: unknown) => {
    const path = typeof state === 'object' && state !== null && 'path' in state ? state.path : null;
    return typeof path === 'string' && folders.has(path);
  });
}
