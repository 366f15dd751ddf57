import { RouxError } from '../../errors.ts';
import type { FolderScope } from '../../folder-globs.ts';
import type { GraphView } from '../../graph/view.ts';
import { foldKey, normalizeId } from '../../note/path.ts';
import type { FieldChange } from '../../store/records/history-event.ts';
import { noSuchBatch } from '../../store/records/batches.ts';
import { findRemoved } from '../../store/records/trash.ts';
import type { EventFilter } from '../history/events.ts';
import { trackFingerprint } from '../history/version.ts';
import type { BaseVersion } from '../history/version.ts';
import { historyCursor } from '../plan/history.ts';
import type { HistoryEvent, HistoryPage, HistoryQuery, WriteMeta } from '../plan/plan.ts';
import type { History, Vault, Writes } from '../vault.ts';
import { needsWholeVault } from './scope-writes.ts';

/** Creates the history of a view, and the writes that take back what it tells of: only what happened in its folders. `graph` is that of the view; `metaOf` limits the metadata of a write to the folders. */
export function createScopeHistory(
  whole: Vault,
  { graph, folders, metaOf }: { readonly graph: GraphView; readonly folders: FolderScope; readonly metaOf: (meta: WriteMeta) => WriteMeta },
): {
  readonly history: Omit<History, 'review' | 'acceptReview' | 'findMovedNote' | 'findOriginal'>;
  readonly undoing: Pick<Writes, 'undo' | 'restore' | 'trash'>;
  /** Throws `CONFLICT` for a call based on another version, as far as the graph knows. */
  readonly mustBeAt: (based: BaseVersion | undefined) => void;
} {
  let fingerprint: (() => string) | undefined;
  // The sequence number would reveal writes outside.
  const version = (): string => `0-${(fingerprint ??= trackFingerprint(graph))()}`;

  function mustBeAt(based: BaseVersion | undefined): void {
    if (based === undefined || based.isChecked) return;
    based.isChecked = true;
    const present = version();
    if (present.slice(present.indexOf('-')) === based.version.slice(based.version.indexOf('-'))) return;
    const message = `What this token sees of the vault is at version ${present}, not ${based.version} any more. Read again what this is based on, then repeat it with if_version ${present}.`;
    throw new RouxError('CONFLICT', message, { version: present, if_version: based.version });
  }

  /** Returns a name by which the whole vault finds the same note; null if that is outside. */
  function nameOf(node: string): string | null {
    const found = graph.lookup(node);
    if (found.kind === 'found') return found.entry.path;
    if (found.kind === 'ambiguous') return node;
    const there = whole.graph.lookup(node);
    const paths = there.kind === 'found' ? [there.entry.path] : there.kind === 'ambiguous' ? there.candidates.map(({ path }) => path) : [];
    return paths.some((path) => !folders.has(path)) && !folders.has(node) ? null : node;
  }

  async function history(query: HistoryQuery): Promise<HistoryPage> {
    const node = nameOf(query.node);
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

  const filter: EventFilter = (events) => events.filter(({ path }) => folders.has(path)).map((event) => redactEvent(folders, event));

  const past: ReturnType<typeof createScopeHistory>['history'] = {
    ofNote: history,
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
      for (const node of nodes) found.set(node, (await history({ node, ...query })).events);
      return found;
    },
    async asOf(query) {
      const node = nameOf(query.node);
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
      return version();
    },
    async requireVersion(based) {
      if (based.isChecked) return;
      await whole.refresh('changed');
      mustBeAt(based);
    },
    async movedNotes() {
      const inside = (moves: ReadonlyMap<string, string>) =>
        new Map([...moves].filter(([from, to]) => folders.has(from) && folders.has(to)));
      const { own, foreign } = await whole.history.movedNotes();
      return { own: inside(own), foreign: inside(foreign) };
    },
  };
  const undoing: Pick<Writes, 'undo' | 'restore' | 'trash'> = {
    trash: () => whole.writes.trash().filter(({ path }) => folders.has(path)),
    async undo(meta, query) {
      if (!('batch' in query)) throw needsWholeVault('Undoing what an agent wrote, wherever that was,');
      if ((await whole.history.writeDiff(query.batch, { offset: 0, limit: 0 }, filter)) === null) throw noSuchBatch(query.batch);
      try {
        return await whole.writes.undo(metaOf(meta), query);
      } catch (error) {
        const path = error instanceof RouxError ? error.details?.['path'] : undefined;
        if (typeof path === 'string' && !folders.has(path)) throw needsWholeVault('Undoing this write');
        throw error;
      }
    },
    restore(meta, reference) {
      const entries = findRemoved(
        whole.writes.trash().filter(({ path }) => folders.has(path)),
        reference,
      );
      const [first] = entries;
      if (first === undefined)
        throw new RouxError('NODE_NOT_FOUND', `${JSON.stringify(reference)} is not in the trash.`, { id: reference });
      return whole.writes.restore(metaOf(meta), reference === first.batch ? reference : first.ref);
    },
  };
  return { history: past, undoing, mustBeAt };
}

/** Events read at once; some may be of files outside. */
const MAX_EVENTS_PER_READ = 1_000;

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
