import type { GraphView } from '../../graph/view.ts';
import { linkKey, resolverOf } from '../../graph/links/resolve.ts';
import { parseRelation } from '../../note/body/relation.ts';
import { relink } from '../../note/body/relink.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import { readFrontmatter } from '../../note/frontmatter/read-frontmatter.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import type { PropertyValue } from '../../note/note.ts';
import { parseNote } from '../../note/parse.ts';
import { foldKey, numberedPath, toNotePath } from '../../note/path.ts';
import type { Batches } from '../../store/records/batches.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import type { TrashEntry } from '../../store/records/trash.ts';
import type { Intent } from '../../store/transaction/intent.ts';
import { fileLookup, movedLookup } from '../links/file-lookup.ts';
import type { LinkStyle } from '../links/link-style.ts';
import { withRevision } from '../links/move.ts';
import { writeLinkpath } from '../links/write-linkpath.ts';
import { LINKED_FROM } from './event.ts';
import { creationOf } from './file-change.ts';
import type { FileChange, FileLook, Plan, PlannedEvent } from './plan.ts';

/** What bringing removed files back needs. */
export interface RestoreOptions {
  readonly graph: GraphView;
  readonly style: LinkStyle;
  readonly filenames: 'slug' | 'title';
  /** The time of the restoration, ISO 8601. */
  readonly at: string;
  readonly read: (entry: TrashEntry) => { readonly bytes: Buffer; readonly like: FileLook };
  readonly batches: Pick<Batches, 'read' | 'before'>;
  readonly events: Segments<HistoryEvent>;
  /** Returns former paths of notes with their present ones. Reads the whole history when it is called first. */
  readonly formerPaths: () => Promise<ReadonlyMap<string, string>>;
}

/** One file on its way back. */
interface Return {
  readonly entry: TrashEntry;
  /** Where it goes: where it was, or beside what stands there now. */
  readonly to: string;
}

/**
 * Plans bringing removed files back. Where a name is taken again, a file gets a free one, and links that were written before the
 * removal, by the history, lead to it; those to what has its name now stay. What the removal took out of other notes
 * (relation lines and edges) comes back too.
 */
export async function planRestore(options: RestoreOptions, entries: readonly TrashEntry[]): Promise<Plan> {
  const taken = new Set<string>();
  const returns = entries.map((entry): Return => {
    const to = freePath(options, entry.path, taken);
    taken.add(foldKey(to));
    return { entry, to };
  });
  const renamed = returns.filter(({ entry, to }) => entry.path !== to);
  const warnings: string[] = [];
  const files: FileChange[] = returns.map(({ entry, to }) => creationOf(to, withOwnLinks(options.read(entry), entry.path, to)));
  const linked = new Map<Return, readonly string[]>();
  for (const one of renamed) linked.set(one, await linkedFrom(options, one.entry));
  const intents = [...new Set(returns.map(({ entry }) => entry.batch))].flatMap((batch) => intentOf(options, batch) ?? []);
  const placeOf = await openPlaces(options, [...[...linked.values()].flat(), ...intents.flatMap(changedPaths)]);
  for (const [one, sources] of linked) {
    const { changes, linking } = planFollowing(options, one, sources.map(placeOf));
    files.push(...changes);
    const links = linking.length === 0 ? '' : `; links that ${list(linking)} had to it before it was removed lead there`;
    warnings.push(`Something else is called ${one.entry.path} by now, so what was removed came back as ${one.to}${links}.`);
  }
  for (const intent of intents) files.push(...planEdgesBack(options, intent, { returns, placeOf }));
  const events: readonly PlannedEvent[] = returns.map(({ to }) => ({ path: to, action: 'restored' }));
  return { files, events, ...(warnings.length === 0 ? {} : { warnings }) };
}

function freePath({ graph, filenames }: RestoreOptions, path: string, taken: ReadonlySet<string>): string {
  const isTaken = (other: string): boolean =>
    taken.has(foldKey(other)) || graph.byKey(linkKey(other)).some((each) => foldKey(each) === foldKey(other));
  for (let number = 1, to = path; ; to = numberedPath(path, ++number, filenames)) if (!isTaken(to)) return to;
}

/** A note that comes back under another name means itself where it linked to itself. */
function withOwnLinks(
  file: { readonly bytes: Buffer; readonly like: FileLook },
  from: string,
  to: string,
): { bytes: Buffer; like: FileLook } {
  const path = toNotePath(from);
  if (from === to || path === null) return file;
  const text = file.bytes.toString('utf8');
  const name = to.replace(/\.md$/i, '');
  const links = parseNote(path, text).links.flatMap(({ form, link }): Relink[] => {
    const { linkpath, subpath } = splitLinkText(link);
    return linkpath !== '' && linkKey(linkpath) === linkKey(from) ? [{ form, link, to: name + subpath }] : [];
  });
  return links.length === 0 ? file : { ...file, bytes: Buffer.from(relink(path, text, links)) };
}

/** Rewrites the links of notes that linked to a removed file when it was removed, and lead to what has its name now. */
function planFollowing(
  options: RestoreOptions,
  { entry, to }: Return,
  sources: readonly string[],
): { readonly changes: readonly FileChange[]; readonly linking: readonly string[] } {
  const { graph, style } = options;
  const resolve = resolverOf(movedLookup(fileLookup(graph), { moves: new Map(), created: [to] }));
  const changes = sources.flatMap((source): FileChange[] => {
    const path = toNotePath(source);
    if (path === null || graph.get(path) === null) return [];
    const links = graph.links(path).flatMap(({ form, linkpath, subpath, target }): Relink[] => {
      if (target.kind === 'unresolved' || foldKey(target.path) !== foldKey(entry.path)) return [];
      const query = { format: style.format, form, linkpath, before: entry.path, target: to, source: path };
      const written = writeLinkpath({ ...query, resolve: (text) => resolve({ linkpath: text, from: path }) });
      return written === null ? [] : [{ form, link: linkpath + subpath, to: written + subpath }];
    });
    return links.length === 0 ? [] : [{ kind: 'change', path, changes: withRevision(options, path, [{ op: 'relink', links }]) }];
  });
  return { changes, linking: changes.flatMap((change) => (change.kind === 'change' ? [change.path] : [])) };
}

/** The notes that linked to a file when it was removed, as the history tells. */
async function linkedFrom({ events }: RestoreOptions, { batch, path }: TrashEntry): Promise<readonly string[]> {
  for (const segment of events.names().toReversed()) {
    const told = (await events.read(segment)).filter((each) => each.batch === batch && each.path === path);
    const event = told.find(({ foreign }) => foreign !== true) ?? told[0];
    const from = event?.changes.find(({ field }) => field === LINKED_FROM)?.before;
    if (event !== undefined) return Array.isArray(from) ? from.filter((each) => typeof each === 'string') : [];
  }
  return [];
}

/** Returns where each of these files is now. The history is read only when one of them is not where it was. */
async function openPlaces({ graph, formerPaths }: RestoreOptions, paths: readonly string[]): Promise<(path: string) => string> {
  if (paths.every((path) => graph.get(path) !== null)) return (path) => path;
  const former = await formerPaths();
  return (path) => (graph.get(path) === null ? (former.get(path) ?? path) : path);
}

/** Lists the notes that a transaction changed in a way that a restore may reverse. */
function changedPaths({ steps }: Intent): readonly string[] {
  return steps.flatMap((step) => (step.kind === 'replace' && step.changes !== null ? [step.path] : []));
}

/** What a removal took out of notes that are still there: lines of `## Relations`, and links of properties. */
function planEdgesBack(
  options: RestoreOptions,
  intent: Intent,
  { returns, placeOf }: { readonly returns: readonly Return[]; readonly placeOf: (path: string) => string },
): readonly FileChange[] {
  const back = new Map(returns.flatMap(({ entry, to }) => (entry.batch === intent.id ? [[linkKey(entry.path), to] as const] : [])));
  return intent.steps.flatMap((step, index): FileChange[] => {
    if (step.kind !== 'replace' || step.changes === null) return [];
    const path = toNotePath(placeOf(step.path));
    const entry = path === null ? null : options.graph.get(path);
    if (path === null || entry === null) return [];
    const changes = (step.changes as readonly NoteChange[]).flatMap((change): readonly NoteChange[] => {
      if (change.op === 'drop-line') return lineBack(change, back);
      if (change.op === 'take')
        return linkBack(change.value, back).map((value) => ({ op: 'append', key: change.key, value, unique: true }));
      const [key = ''] = change.op === 'unset' ? change.key : [];
      if (change.op !== 'unset' || change.key.length > 1 || Object.hasOwn(entry.properties, key)) return [];
      return linkBack(valueBefore(options, intent, { index, key }), back).map((value) => ({ op: 'set', key: [key], value }));
    });
    return changes.length === 0 ? [] : [{ kind: 'change', path, changes: withRevision(options, path, changes) }];
  });
}

/** The finished transaction, or null where nothing is kept of it. */
function intentOf({ batches }: RestoreOptions, batch: string): Intent | null {
  try {
    return batches.read(batch);
  } catch {
    return null;
  }
}

function lineBack(change: Extract<NoteChange, { op: 'drop-line' }>, back: ReadonlyMap<string, string>): readonly NoteChange[] {
  const target = parseRelation(change.line)?.target;
  const to = target === undefined ? undefined : back.get(linkKey(splitLinkText(target).linkpath));
  if (target === undefined || to === undefined) return [];
  const line = renamedLink(change.line, target, to);
  return [{ op: 'add-line', section: change.section, line, unique: true, ...(change.apart === true ? { apart: true } : {}) }];
}

/** A link of a property, as it leads to the note that is back; nothing where it leads to another one. */
function linkBack(value: PropertyValue | undefined, back: ReadonlyMap<string, string>): readonly string[] {
  const [, link] = typeof value === 'string' ? (/^\[\[([^[\]|]+)/.exec(value.trim()) ?? []) : [];
  const to = link === undefined ? undefined : back.get(linkKey(splitLinkText(link).linkpath));
  return link === undefined || to === undefined || typeof value !== 'string' ? [] : [renamedLink(value, link, to)];
}

/** A text with its link to a note under the note's name of now. */
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

/** So many notes are named in a message. */
const MAX_LISTED = 10;

function list(paths: readonly string[]): string {
  const more = paths.length - MAX_LISTED;
  return more > 0 ? `${paths.slice(0, MAX_LISTED).join(', ')} and ${more} more` : paths.join(', ');
}
