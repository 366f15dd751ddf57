import type { GraphView } from '../../../graph/view.ts';
import { resolverOf } from '../../../graph/links/resolve.ts';
import { linkKey, foldKey, numberedPath, toNotePath } from '../../../note/path.ts';
import { parseRelation } from '../../../note/body/relation.ts';
import { relink } from '../../../note/body/relink.ts';
import type { NoteChange, Relink } from '../../../note/change.ts';
import { readFrontmatter } from '../../../note/frontmatter/read-frontmatter.ts';
import { splitLinkText } from '../../../note/markdown/link-text.ts';
import type { PropertyValue } from '../../../note/note.ts';
import { parseNote } from '../../../note/parse.ts';
import { isTooLarge } from '../../../store/folder/hash.ts';
import type { Batches } from '../../../store/records/batches.ts';
import type { HistoryEvent } from '../../../store/records/history-event.ts';
import type { Segments } from '../../../store/records/segments.ts';
import type { TrashEntry } from '../../../store/records/trash.ts';
import type { Intent } from '../../../store/transaction/intent.ts';
import { fileLookup, movedLookup } from '../../links/file-lookup.ts';
import type { LinkStyle } from '../../links/link-style.ts';
import { withRevision } from '../../links/move.ts';
import { writeLinkpath } from '../../links/write-linkpath.ts';
import { LINKED_FROM } from '../event.ts';
import { creationOf } from '../file-change.ts';
import type { FileChange, FileLook, Plan, PlannedEvent } from '../plan.ts';

/** What a restore needs. */
export interface RestoreOptions {
  readonly graph: GraphView;
  readonly style: LinkStyle;
  readonly filenames: 'slug' | 'title';
  /** The time of the restoration, ISO 8601. */
  readonly at: string;
  readonly read: (entry: TrashEntry) => { readonly bytes: Buffer; readonly like: FileLook };
  readonly batches: Pick<Batches, 'read' | 'before'>;
  readonly events: Segments<HistoryEvent>;
  /** Returns the present paths of moved notes by their previous ones. The first call reads the whole history. */
  readonly previousPaths: () => Promise<ReadonlyMap<string, string>>;
}

interface RestoredFile {
  readonly entry: TrashEntry;
  /** The path it gets: its own, or a free one if that is taken. */
  readonly to: string;
}

/**
 * Plans the restore of removed files. If a path is taken by now, the file gets a free one, and links that were written to it before its
 * removal, by the history, follow it; links to the file that has its name now stay. What the removal took out of other notes
 * (relation lines and edges) comes back too.
 */
export async function planRestore(options: RestoreOptions, entries: readonly TrashEntry[]): Promise<Plan> {
  const taken = new Set<string>();
  const restored = entries.map((entry): RestoredFile => {
    const to = freePath(options, entry.path, taken);
    taken.add(foldKey(to));
    return { entry, to };
  });
  const renamed = restored.filter(({ entry, to }) => entry.path !== to);
  const warnings: string[] = [];
  const files: FileChange[] = restored.map(({ entry, to }) => creationOf(to, withOwnLinks(options.read(entry), entry.path, to)));
  const linked = new Map<RestoredFile, readonly string[]>();
  for (const one of renamed) linked.set(one, await linkedFrom(options, one.entry));
  const intents = [...new Set(restored.map(({ entry }) => entry.batch))].flatMap((batch) => intentOf(options, batch) ?? []);
  const placeOf = await locateFiles(options, [...[...linked.values()].flat(), ...intents.flatMap(changedPaths)]);
  for (const [one, sources] of linked) {
    const { changes, linking } = planLinksToRestored(options, one, sources.map(placeOf));
    for (const each of changes) files.push(each);
    const links = linking.length === 0 ? '' : `; links that ${list(linking)} had to it before it was removed lead there`;
    warnings.push(`Something else is called ${one.entry.path} by now, so what was removed came back as ${one.to}${links}.`);
  }
  for (const intent of intents) for (const each of planEdges(options, intent, { restored, placeOf })) files.push(each);
  const events: readonly PlannedEvent[] = restored.map(({ to }) => ({ path: to, action: 'restored' }));
  return { files, events, ...(warnings.length === 0 ? {} : { warnings }) };
}

function freePath({ graph, filenames }: RestoreOptions, path: string, taken: ReadonlySet<string>): string {
  const isTaken = (other: string): boolean =>
    taken.has(foldKey(other)) || graph.byKey(linkKey(other)).some((each) => foldKey(each) === foldKey(other));
  for (let number = 1, to = path; ; to = numberedPath(path, ++number, filenames)) if (!isTaken(to)) return to;
}

/** Rewrites a note's links to itself if it is restored under another name. */
function withOwnLinks(
  file: { readonly bytes: Buffer; readonly like: FileLook },
  from: string,
  to: string,
): { bytes: Buffer; like: FileLook } {
  const path = toNotePath(from);
  if (from === to || path === null || isTooLarge({ size: file.bytes.length })) return file;
  const text = file.bytes.toString('utf8');
  const name = to.replace(/\.md$/i, '');
  const links = parseNote(path, text).links.flatMap(({ form, link }): Relink[] => {
    const { linkpath, subpath } = splitLinkText(link);
    return linkpath !== '' && linkKey(linkpath) === linkKey(from) ? [{ form, link, to: name + subpath }] : [];
  });
  return links.length === 0 ? file : { ...file, bytes: Buffer.from(relink(path, text, links).text) };
}

/** Plans the rewriting of links in notes that linked to the file when it was removed, and now lead to the file that took its name. */
function planLinksToRestored(
  options: RestoreOptions,
  { entry, to }: RestoredFile,
  sources: readonly string[],
): { readonly changes: readonly FileChange[]; readonly linking: readonly string[] } {
  const { graph, style } = options;
  const resolve = resolverOf(movedLookup(fileLookup(graph), { moves: new Map(), created: [to] }));
  const changes = sources.flatMap((source): FileChange[] => {
    const path = toNotePath(source);
    if (path === null || graph.get(path) === null) return [];
    const links = graph.links(path).flatMap(({ form, linkpath, subpath, target }): Relink[] => {
      if (target.kind === 'unresolved' || foldKey(target.path) !== foldKey(entry.path)) return [];
      const query = { format: style.format, form, linkpath, before: entry.path, target: to, source: path, top: graph.bundles.topOf(path) };
      const written = writeLinkpath({ ...query, resolve: (text) => resolve({ linkpath: text, from: path }) });
      return written === null ? [] : [{ form, link: linkpath + subpath, to: written + subpath }];
    });
    return links.length === 0 ? [] : [{ kind: 'change', path, changes: withRevision(options, path, [{ op: 'relink', links }]) }];
  });
  return { changes, linking: changes.flatMap((change) => (change.kind === 'change' ? [change.path] : [])) };
}

/** Returns the notes that linked to a file when it was removed, from the history. */
async function linkedFrom({ events }: RestoreOptions, { batch, path }: TrashEntry): Promise<readonly string[]> {
  for (const segment of events.names().toReversed()) {
    const lines = (await events.read(segment)).filter((each) => each.batch === batch && each.path === path);
    const event = lines.find(({ foreign }) => foreign !== true) ?? lines[0];
    const from = event?.changes.find(({ field }) => field === LINKED_FROM)?.before;
    if (event !== undefined) return Array.isArray(from) ? from.filter((each) => typeof each === 'string') : [];
  }
  return [];
}

/** Returns a function for the present paths of these files. Reads the history only if one of them has moved. */
async function locateFiles({ graph, previousPaths }: RestoreOptions, paths: readonly string[]): Promise<(path: string) => string> {
  if (paths.every((path) => graph.get(path) !== null)) return (path) => path;
  const previous = await previousPaths();
  return (path) => (graph.get(path) === null ? (previous.get(path) ?? path) : path);
}

/** Lists the notes that a transaction changed in a way that a restore may reverse. */
function changedPaths({ steps }: Intent): readonly string[] {
  return steps.flatMap((step) => (step.kind === 'replace' && step.changes !== null ? [step.path] : []));
}

/** Plans to put back what a removal took out of other notes: lines of `## Relations`, and links in properties. */
function planEdges(
  options: RestoreOptions,
  intent: Intent,
  { restored, placeOf }: { readonly restored: readonly RestoredFile[]; readonly placeOf: (path: string) => string },
): readonly FileChange[] {
  const back = new Map(restored.flatMap(({ entry, to }) => (entry.batch === intent.id ? [[linkKey(entry.path), to] as const] : [])));
  return intent.steps.flatMap((step, index): FileChange[] => {
    if (step.kind !== 'replace' || step.changes === null) return [];
    const path = toNotePath(placeOf(step.path));
    const entry = path === null ? null : options.graph.get(path);
    if (path === null || entry === null) return [];
    const changes = (step.changes as readonly NoteChange[]).flatMap((change): readonly NoteChange[] => {
      if (change.op === 'drop-line') return restoreLine(change, back);
      if (change.op === 'take')
        return restoreLink(change.value, back).map((value) => ({ op: 'append', key: change.key, value, unique: true }));
      const [key = ''] = change.op === 'unset' ? change.key : [];
      if (change.op !== 'unset' || change.key.length > 1 || Object.hasOwn(entry.properties, key)) return [];
      return restoreLink(valueBefore(options, intent, { index, key }), back).map((value) => ({ op: 'set', key: [key], value }));
    });
    return changes.length === 0 ? [] : [{ kind: 'change', path, changes: withRevision(options, path, changes) }];
  });
}

/** Returns the finished transaction; null if it is no longer stored. */
function intentOf({ batches }: RestoreOptions, batch: string): Intent | null {
  try {
    return batches.read(batch);
  } catch {
    return null;
  }
}

function restoreLine(change: Extract<NoteChange, { op: 'drop-line' }>, back: ReadonlyMap<string, string>): readonly NoteChange[] {
  const target = parseRelation(change.line)?.target;
  const to = target === undefined ? undefined : back.get(linkKey(splitLinkText(target).linkpath));
  if (target === undefined || to === undefined) return [];
  const line = renamedLink(change.line, target, to);
  return [{ op: 'add-line', section: change.section, line, unique: true, ...(change.apart === true ? { apart: true } : {}) }];
}

/** Returns a link property rewritten to the restored note; empty if it leads elsewhere. */
function restoreLink(value: PropertyValue | undefined, back: ReadonlyMap<string, string>): readonly string[] {
  const [, link] = typeof value === 'string' ? (/^\[\[([^[\]|]+)/.exec(value.trim()) ?? []) : [];
  const to = link === undefined ? undefined : back.get(linkKey(splitLinkText(link).linkpath));
  return link === undefined || to === undefined || typeof value !== 'string' ? [] : [renamedLink(value, link, to)];
}

/** Rewrites a link in a text to the new path of its note. */
function renamedLink(text: string, link: string, to: string): string {
  const { linkpath, subpath } = splitLinkText(link);
  return linkKey(linkpath) === linkKey(to) ? text : text.replace(`[[${link}`, () => `[[${to.replace(/\.md$/i, '')}${subpath}`);
}

function valueBefore(
  { batches }: RestoreOptions,
  intent: Intent,
  { index, key }: { readonly index: number; readonly key: string },
): PropertyValue | undefined {
  try {
    return readFrontmatter(batches.before(intent, index).bytes.toString('utf8')).data[key];
  } catch {
    return undefined;
  }
}

const MAX_LISTED = 10;

function list(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED;
  return more > 0 ? `${paths.slice(0, MAX_LISTED).join(', ')} and ${more} more` : paths.join(', ');
}
