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
import type { HistoryEvent, HistoryPage, WriteMeta } from '../plan/plan.ts';
import type { Vault } from '../vault.ts';
import { needsWholeVault } from './scope-writes.ts';

/** What is told of the past to who sees some folders: what happened in them. */
export type ScopePast = Pick<
  Vault,
  | 'activity'
  | 'activeAgents'
  | 'writeDiff'
  | 'history'
  | 'histories'
  | 'asOf'
  | 'trash'
  | 'undo'
  | 'restore'
  | 'version'
  | 'requireVersion'
  | 'movedNotes'
>;

/** `graph`: of what is inside; `metaOf`: makes of the frame of a write one that can reach nothing outside. */
export function openScopePast(
  whole: Vault,
  { graph, folders, metaOf }: { readonly graph: GraphView; readonly folders: FolderScope; readonly metaOf: (meta: WriteMeta) => WriteMeta },
): {
  readonly past: ScopePast;
  /** Refuses with `CONFLICT` what was based on another version, as the graph knows it. */
  readonly mustBeAt: (based: BaseVersion | undefined) => void;
} {
  let fingerprint: (() => string) | undefined;
  // The number of the history counts what happens outside as well.
  const version = (): string => `0-${(fingerprint ??= trackFingerprint(graph))()}`;

  function mustBeAt(based: BaseVersion | undefined): void {
    if (based === undefined || based.isChecked) return;
    based.isChecked = true;
    const present = version();
    if (present.slice(present.indexOf('-')) === based.version.slice(based.version.indexOf('-'))) return;
    const message = `What this token sees of the vault is at version ${present}, not ${based.version} any more. Read again what this is based on, then repeat it with if_version ${present}.`;
    throw new RouxError('CONFLICT', message, { version: present, if_version: based.version });
  }

  /** A name by which the whole vault finds the same note, and whether it may have one: null for what is outside. */
  function nameOf(node: string): string | null {
    const found = graph.lookup(node);
    if (found.kind === 'found') return found.entry.path;
    if (found.kind === 'ambiguous') return node;
    const there = whole.graph.lookup(node);
    const paths = there.kind === 'found' ? [there.entry.path] : there.kind === 'ambiguous' ? there.candidates.map(({ path }) => path) : [];
    return paths.some((path) => !folders.has(path)) && !folders.has(node) ? null : node;
  }

  async function history(query: Parameters<Vault['history']>[0]): Promise<HistoryPage> {
    const node = nameOf(query.node);
    if (node === null) return { events: [], nextCursor: null };
    const isKnown = graph.lookup(query.node).kind !== 'missing' || [node, `${node}.md`].some((path) => folders.has(path));
    const events: HistoryEvent[] = [];
    let last: HistoryEvent | undefined;
    for (let cursor = query.cursor; ;) {
      const page = await whole.history({ ...query, node, limit: MAX_READ, ...(cursor === undefined ? {} : { cursor }) });
      for (const event of page.events) {
        if (!folders.has(event.path)) continue;
        // What is not there any more is found by the names that it had inside.
        if (!isKnown && events.length === 0 && !isNamed(event, query.node)) return { events: [], nextCursor: null };
        if (events.length === query.limit) return { events, nextCursor: historyCursor(last) };
        events.push(tellInside(folders, event));
        last = event;
      }
      if (page.nextCursor === null) return { events, nextCursor: null };
      cursor = page.nextCursor;
    }
  }

  const sight: EventFilter = (events) => events.filter(({ path }) => folders.has(path)).map((event) => tellInside(folders, event));

  const past: ScopePast = {
    history,
    activity: (query) => whole.activity(query, sight),
    activeAgents: () => whole.activeAgents(sight),
    async writeDiff(id, part) {
      const found = await whole.writeDiff(id, part, sight);
      if (found === null) return null;
      const cameIn = new Set(found.activity.events.flatMap((event) => (hasCameIn(event) ? [event.path] : [])));
      const files = found.files.map(({ now, diff, ...file }) => ({
        ...file,
        ...(cameIn.has(file.path) ? { diff: null, remark: 'what it was before is not to be seen with this token' } : { diff }),
        now: now !== null && folders.has(now) ? now : null,
      }));
      return { ...found, files };
    },
    async histories({ nodes, ...query }) {
      const found = new Map<string, readonly HistoryEvent[]>();
      for (const node of nodes) found.set(node, (await history({ node, ...query })).events);
      return found;
    },
    async asOf(query) {
      const node = nameOf(query.node);
      try {
        const past = node === null ? null : await whole.asOf({ ...query, node });
        if (past !== null && folders.has(past.asOf.path)) return past;
      } catch (error) {
        if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND' || isAllInside(folders, error)) throw error;
      }
      throw new RouxError('NODE_NOT_FOUND', `There is no text of ${JSON.stringify(query.node)} as of ${JSON.stringify(query.at)}.`, {
        as_of: query.at,
      });
    },
    trash: () => whole.trash().filter(({ path }) => folders.has(path)),
    async undo(meta, query) {
      if (!('batch' in query)) throw needsWholeVault('Undoing what an agent wrote, wherever that was,');
      if ((await whole.writeDiff(query.batch, { offset: 0, limit: 0 }, sight)) === null) throw noSuchBatch(query.batch);
      try {
        return await whole.undo(metaOf(meta), query);
      } catch (error) {
        const path = error instanceof RouxError ? error.details?.['path'] : undefined;
        if (typeof path === 'string' && !folders.has(path)) throw needsWholeVault('Undoing this write');
        throw error;
      }
    },
    restore(meta, reference) {
      const entries = findRemoved(
        whole.trash().filter(({ path }) => folders.has(path)),
        reference,
      );
      const [first] = entries;
      if (first === undefined)
        throw new RouxError('NODE_NOT_FOUND', `${JSON.stringify(reference)} is not in the trash.`, { id: reference });
      return whole.restore(metaOf(meta), reference === first.batch ? reference : first.ref);
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
      const { own, foreign } = await whole.movedNotes();
      return { own: inside(own), foreign: inside(foreign) };
    },
  };
  return { past, mustBeAt };
}

/** Events that are read at once, of which some may be of files outside. */
const MAX_READ = 1_000;

function isNamed({ node, path }: HistoryEvent, name: string): boolean {
  const [wanted, ...had] = [name, node, path, path.replace(/\.md$/i, '')].map((each) => foldKey(normalizeId(each)));
  return wanted !== undefined && had.includes(wanted);
}

/** Fields that name other notes. */
const NAMING: ReadonlySet<string> = new Set(['path', 'linked_from', 'merged_from', 'merged_into']);

/** An event of a file inside, without the names of files outside, and without what the file said while it was one. */
function tellInside(folders: FolderScope, event: HistoryEvent): HistoryEvent {
  const cameIn = event.changes.some(({ field, before }) => field === 'path' && typeof before === 'string' && !folders.has(before));
  const tell = (value: unknown): FieldChange['after'] => {
    if (Array.isArray(value)) return value.map(tell).filter((each) => each !== null);
    return typeof value === 'string' && (!/\/|\.md$/i.test(value) || folders.has(value)) ? value : null;
  };
  const changes = event.changes.map(({ field, before, after }) => ({
    field,
    before: cameIn ? null : NAMING.has(field) ? tell(before) : before,
    after: NAMING.has(field) ? tell(after) : after,
  }));
  return { ...event, changes };
}

/** Of an event as it is told: the file came from outside. */
function hasCameIn({ action, changes }: HistoryEvent): boolean {
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
