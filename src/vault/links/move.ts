import { RouxError } from '../../errors.ts';
import { linkKey } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import type { TagRenames } from '../../note/body/retag.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { checkPath, foldersAbove, foldKey, normalizeId, toNotePath } from '../../note/path.ts';
import { MAX_FILE_BYTES } from '../../store/folder/hash.ts';
import type { FileChange, Plan } from '../plan/plan.ts';
import { planBases } from './bases.ts';
import type { BaseEdits } from './bases.ts';
import { planCanvases } from './canvas.ts';
import type { CanvasEdits } from './canvas.ts';
import { fileLookup, folderAfter, movedLookup } from './file-lookup.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkStyle } from './link-style.ts';
import { LinkFates, planRelinks } from './relinks.ts';
import type { LinkUse, PartRenames } from './relinks.ts';
import { unquotedLinks } from './unlinked.ts';

/** What planning a move needs from outside: the files, and how this vault writes links. */
export interface MoveContext extends FileView {
  readonly style: LinkStyle;
  /** ISO 8601 time for `updated_at` of notes that count their revisions. */
  readonly at: string;
  /** Whether settings name a folder, so that it stays where a move empties it. Absent: every folder stays. */
  readonly isConfiguredFolder?: (folder: string) => boolean;
}

/** One file of a move, with changes to its own text besides its links. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly changes?: readonly NoteChange[];
}

/** What happens in one step besides moves. */
export interface Inside {
  /** Folders that get another path with all that is in them, by their old paths. */
  readonly folders?: ReadonlyMap<string, string>;
  readonly parts?: PartRenames;
  readonly tags?: TagRenames;
  /** Changes to texts of notes besides their links, by the path before the step. */
  readonly edits?: ReadonlyMap<string, TextEdit>;
}

/** Changes to one note's text: `before` its links are rewritten, or after. `etag`: the text that they were planned on. */
export interface TextEdit {
  readonly before?: readonly NoteChange[];
  readonly after?: readonly NoteChange[];
  readonly etag?: string;
}

/** Files change their places, and what stands in notes its name; every link that would lead elsewhere then is rewritten. Nothing else changes. */
export function planMoves(context: MoveContext, moves: readonly Move[], inside: Inside = {}): Plan {
  checkPaths(context.graph, moves);
  const files: FileMoves = { moves: new Map(moves.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to])), created: [] };
  const { relinks, rewritten, others, warnings } = planLinks(context, files, { inside });
  const byFrom = new Map(moves.map((move) => [move.from, move]));
  const changed = new Set([...byFrom.keys(), ...relinks.keys(), ...(inside.edits?.keys() ?? [])]);
  const changes = [...changed].flatMap((from): FileChange[] => {
    const { to, changes: own = [] } = byFrom.get(from) ?? { to: from };
    const edit = inside.edits?.get(from);
    return fileChange(context, { from, to, rewrite: rewritten.get(from), etag: edit?.etag }, [
      ...(edit?.before ?? []),
      ...relinkChange(relinks.get(from)),
      ...own,
      ...(edit?.after ?? []),
    ]);
  });
  const linked = [...(inside.parts?.notes ?? [])];
  const vacated = findVacated(context, files.moves);
  return {
    files: [...changes, ...others],
    ...(vacated.length === 0 ? {} : { vacated }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(linked.length === 0 ? {} : { linked }),
  };
}

/** Returns the folders that files leave, and those above them, the innermost first: each may be empty then. */
function findVacated({ isConfiguredFolder = () => true }: MoveContext, moves: ReadonlyMap<string, string>): readonly string[] {
  const vacated = new Set<string>();
  for (const [from, to] of moves) {
    for (const folder of foldersAbove(from).toReversed()) {
      // One that could not be made again would stand in the way of undo.
      if (to.startsWith(`${folder}/`) || isConfiguredFolder(folder) || checkPath(folder) !== null) break;
      vacated.add(folder);
    }
  }
  return [...vacated].sort((a, b) => b.split('/').length - a.split('/').length);
}

function fileChange(
  context: MoveContext,
  { from, to, rewrite, etag }: { from: string; to: string; rewrite: FileChange | undefined; etag: string | undefined },
  changes: readonly NoteChange[],
): FileChange[] {
  if (rewrite !== undefined) return [rewrite];
  const path = toNotePath(from);
  const counted = path === null ? [] : withRevision(context, path, changes);
  const expect = etag === undefined ? {} : { expect: { etag } };
  if (from !== to) return [{ kind: 'move', from, to, changes: counted, ...expect }];
  return path === null || counted.length === 0 ? [] : [{ kind: 'change', path, changes: counted, ...expect }];
}

function relinkChange(links: readonly Relink[] = []): readonly NoteChange[] {
  return links.length === 0 ? [] : [{ op: 'relink', links }];
}

/**
 * Files that somebody moved outside of roux: links that still name the old places and lead nowhere now are rewritten.
 * A file may have had several places.
 */
export function planExternalMoves(context: MoveContext, moves: readonly Pick<Move, 'from' | 'to'>[]): Plan {
  const relinks = new Map<string, Relink[]>();
  const canvases = new Map<string, FileChange>();
  const warnings = new Set<string>();
  const add = (path: string, links: readonly Relink[]): void => {
    const known = relinks.get(path) ?? [];
    relinks.set(path, [...known, ...links.filter(({ link, form }) => !known.some((each) => each.link === link && each.form === form))]);
  };
  for (const round of roundsOf(moves)) {
    const planned = planLinks(context, { moves: round, created: [] }, { hasHappened: true });
    for (const [from, links] of planned.relinks) add(round.get(from) ?? from, links);
    // Splices hold for the bytes as they are: what another place of a file asks of the same canvas is done the next time.
    for (const file of planned.others) if ('path' in file && !canvases.has(file.path)) canvases.set(file.path, file);
    for (const warning of planned.warnings) warnings.add(warning);
  }
  const changes = [...relinks].flatMap(([from, links]): FileChange[] => {
    const path = toNotePath(from);
    return path === null ? [] : [{ kind: 'change', path, changes: withRevision(context, path, [{ op: 'relink', links }]) }];
  });
  return { files: [...changes, ...canvases.values()], ...(warnings.size === 0 ? {} : { warnings: [...warnings] }) };
}

/** Moves in groups in which each file has one place that it came from. */
function roundsOf(moves: readonly Pick<Move, 'from' | 'to'>[]): readonly ReadonlyMap<string, string>[] {
  const rounds: Map<string, string>[] = [];
  const counts = new Map<string, number>();
  for (const { from, to } of moves) {
    const round = counts.get(to) ?? 0;
    counts.set(to, round + 1);
    (rounds[round] ??= new Map()).set(from, to);
  }
  return rounds;
}

/** What new files do to others: links that they would draw to themselves keep leading where they led. */
export function planCreateSideEffects(context: MoveContext, created: readonly string[]): Pick<Plan, 'files' | 'warnings'> {
  const { relinks, others, warnings } = planLinks(context, { moves: new Map(), created });
  const changes = [...relinks].flatMap(([from, links]): FileChange[] => {
    const path = toNotePath(from);
    return path === null ? [] : [{ kind: 'change', path, changes: withRevision(context, path, relinkChange(links)) }];
  });
  return { files: [...changes, ...others], ...(warnings.length === 0 ? {} : { warnings }) };
}

/** The files, by their old paths, in which a link leads to what moves or goes, or would lead to what is new: those that the step would rewrite, or would have to. */
export function filesConcerned(context: MoveContext, { moves, created, removed = [] }: FileMoves): ReadonlySet<string> {
  // What goes is looked at as if it moved: a link that has to follow would break.
  const gone = new Map(removed.map((path) => [path, `${path.replace(/(\.[^./]+)$/, '')} ${GONE}${/\.[^./]+$/.exec(path)?.[0] ?? ''}`]));
  const { relinks, rewritten, others, left } = planLinks(context, { moves: new Map([...moves, ...gone]), created });
  return new Set([...relinks.keys(), ...rewritten.keys(), ...others.flatMap((file) => ('path' in file ? file.path : [])), ...left]);
}

/** No file is called so. */
const GONE = 'is gone 7f3b9c1e';

/** Notes up to this size are rewritten: longer link texts must not make one larger than a write may leave it. */
const MAX_REWRITTEN_BYTES = MAX_FILE_BYTES - 256 * 1024;

/** Whether a note is too large for its own text to be rewritten: it can only be moved as it is. */
export function isTooLargeToRewrite(graph: GraphView, path: string): boolean {
  return (graph.get(path)?.stamp.size ?? 0) > MAX_REWRITTEN_BYTES;
}

/** What a step does to links: of notes by their paths before it, of files that are no notes as changes to them. */
interface PlannedLinks {
  readonly relinks: ReadonlyMap<string, readonly Relink[]>;
  /** What takes the place of a plain move, by the old path. */
  readonly rewritten: ReadonlyMap<string, FileChange>;
  /** Changes to canvases and bases that stay where they are. */
  readonly others: readonly FileChange[];
  /** Notes with links that should be rewritten and cannot be. */
  readonly left: readonly string[];
  readonly warnings: readonly string[];
}

function planLinks(
  context: MoveContext,
  files: FileMoves,
  { hasHappened = false, inside = {} }: { readonly hasHappened?: boolean; readonly inside?: Inside } = {},
): PlannedLinks {
  const { graph, style } = context;
  const now = fileLookup(graph);
  const back = new Map([...files.moves].map(([from, to]) => [to, from]));
  const before = hasHappened ? movedLookup(now, { moves: back, created: [] }) : now;
  const parts = inside.parts ?? null;
  const fates = new LinkFates(before, files, style.format, parts);
  const { relinks, stuck } = planRelinks(graph, fates, files, { hasHappened, parts });
  const tooLarge = [...relinks.keys()].filter((from) => isTooLargeToRewrite(graph, from));
  const canvases = planCanvases(context, canvasEdits(fates, files, inside));
  // Of what is only created or edited no base has to be read.
  const isNamed = files.moves.size > 0 || inside.tags !== undefined;
  const bases = isNamed ? planBases(context, baseEdits(fates, files, inside)) : NO_BASES;
  const warnings = [
    ...stuck.map(
      ({ from, link, target }) => `${from}: the link [[${link}]] cannot be written so that it leads to ${target}; it was left alone.`,
    ),
    ...tooLarge
      .filter((path) => !files.moves.has(path))
      .map((path) => `${path}: it is too large to be written, so its links were left alone; split it, or change them by hand.`),
    ...(hasHappened ? [] : movedAsTheyAre(graph, files)),
    ...canvases.warnings,
    ...unquotedLinks(context, fates, files),
    ...bases.warnings,
  ];
  return {
    relinks: new Map([...relinks].filter(([from]) => !tooLarge.includes(from))),
    rewritten: new Map([...canvases.moved, ...bases.moved]),
    others: [...canvases.files, ...bases.files],
    left: [...stuck.map(({ from }): string => from), ...tooLarge.filter((path) => !files.moves.has(path))],
    warnings,
  };
}

/** What is said of moved notes that are too large to be written: nobody reads them for links. */
function movedAsTheyAre(graph: GraphView, { moves }: FileMoves): readonly string[] {
  const large = [...moves].filter(([from]) => isTooLargeToRewrite(graph, from));
  return large.map(
    ([, to]) =>
      `${to}: it is too large to be written, so it was moved as it is: its own relative links, title and aliases stay as they were. Split it, or change them by hand.`,
  );
}

const NO_BASES: ReturnType<typeof planBases> = { files: [], moved: new Map(), warnings: [] };

function canvasEdits(fates: LinkFates, files: FileMoves, { tags }: Inside): CanvasEdits {
  const moves = new Map([...files.moves].map(([from, to]) => [normalizeId(from), normalizeId(to)]));
  return {
    fileOf: (path) => moves.get(normalizeId(path)) ?? null,
    subpathOf: (path, subpath) => {
      const after = fates.subpathAfter(path, subpath);
      return after === subpath ? null : after;
    },
    relinkOf: (link, canvas) => relinkOf(fates, link, canvas),
    tagOf: (tag) => tags?.tagAfter(tag) ?? null,
    pathAfter: (canvas) => fates.pathAfter(canvas),
  };
}

function baseEdits(fates: LinkFates, files: FileMoves, { folders = new Map(), tags }: Inside): BaseEdits {
  return {
    fileOf: (path) => files.moves.get(path) ?? null,
    folderOf: (folder) => folderAfter(folders, folder),
    tagOf: (tag) => tags?.tagAfter(tag) ?? null,
    linkOf: (link, base) => relinkOf(fates, { form: 'wikilink', ...splitLinkText(link) }, base)?.to ?? null,
    pathAfter: (base) => fates.pathAfter(base),
  };
}

function relinkOf(fates: LinkFates, link: LinkUse, from: string): Relink | null {
  const fate = fates.fateOf(link, from);
  return fate?.kind === 'relink' ? fate.relink : null;
}

/** Notes that count their revisions count this one; others get no such keys from a move. */
export function withRevision(
  context: Pick<MoveContext, 'graph' | 'at'>,
  path: string,
  changes: readonly NoteChange[],
): readonly NoteChange[] {
  if (changes.length === 0 || changes.some((change) => change.op === 'touch')) return changes;
  const entry = context.graph.get(path);
  // Reading the values of a thousand linking notes would take longer than all the rest of a plan.
  const isCounted = entry !== null && entry.yaml?.includes('rev') !== false && revOf(entry.properties) !== null;
  return isCounted ? [...changes, { op: 'touch', at: context.at }] : changes;
}

/** Refuses moves onto files that are there, or that differ from one by case or Unicode form only. */
function checkPaths(graph: GraphView, moves: readonly Move[]): void {
  const leaving = new Set(moves.map((move) => move.from));
  const arriving = new Set<string>();
  for (const { from, to } of moves) {
    if (graph.get(from) === null && !graph.isAttachment(from)) {
      throw new RouxError('NODE_NOT_FOUND', `There is no file ${from}. Look it up again: it may have been moved.`, { path: from });
    }
    const other = graph.byKey(linkKey(to)).find((path) => foldKey(path) === foldKey(to) && !leaving.has(path));
    if (other !== undefined || arriving.has(foldKey(to))) {
      throw new RouxError('NODE_EXISTS', `${from} cannot be moved to ${to}: ${other ?? to} is there already. Choose another name.`, {
        path: to,
        existing: other ?? to,
      });
    }
    arriving.add(foldKey(to));
  }
}
