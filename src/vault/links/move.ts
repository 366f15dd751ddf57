import { RouxError } from '../../errors.ts';
import { linkKey, checkPath, foldersAbove, foldKey, normalizeId, toNotePath } from '../../note/path.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import type { TagRenames } from '../../note/body/retag.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { MAX_FILE_BYTES } from '../../store/folder/hash.ts';
import type { FileChange, Plan } from '../plan/plan.ts';
import { planBases } from './bases.ts';
import type { BaseEdits } from './bases.ts';
import { planCanvases } from './canvas.ts';
import type { CanvasEdits } from './canvas.ts';
import { fileLookup, folderAfter, movedLookup } from './file-lookup.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkStyle } from './link-style.ts';
import { LinkRewriter, planRelinks } from './relinks.ts';
import type { LinkUse, PartRenames } from './relinks.ts';
import { warnOfUnquotedLinks } from './link-warnings.ts';

/** What planning a move needs: the files, and the link style of the vault. */
export interface MoveContext extends FileView {
  readonly style: LinkStyle;
  /** Time for `updated_at` of notes that count revisions, ISO 8601. */
  readonly at: string;
  /** Returns whether settings name a folder, which is then kept even if a move empties it. When absent, every folder is kept. */
  readonly isConfiguredFolder?: (folder: string) => boolean;
}

/** One moved file, with changes to its own text besides links. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly changes?: readonly NoteChange[];
}

/** Further changes in the same step. */
export interface InnerEdits {
  /** Moved folders by their old paths. */
  readonly folders?: ReadonlyMap<string, string>;
  readonly parts?: PartRenames;
  readonly tags?: TagRenames;
  /** Changes to note texts besides links, by the path before the step. */
  readonly edits?: ReadonlyMap<string, TextEdit>;
}

/** Changes to one note's text, before or after its links are rewritten. `etag`: hash of the text that they were planned on. */
export interface TextEdit {
  readonly before?: readonly NoteChange[];
  readonly after?: readonly NoteChange[];
  readonly etag?: string;
}

const REMOVED_MARK = 'is gone 7f3b9c1e';
const NO_BASES: ReturnType<typeof planBases> = { files: [], moved: new Map(), warnings: [] };

/** Plans moves of files and renames inside notes, rewriting every link that would lead elsewhere. Nothing else changes. */
export function planMoves(context: MoveContext, moves: readonly Move[], inner: InnerEdits = {}): Plan {
  checkPaths(context.graph, moves);
  const files: FileMoves = { moves: new Map(moves.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to])), created: [] };
  const { relinks, rewritten, others, warnings } = planLinks(context, files, { inner });
  const byFrom = new Map(moves.map((move) => [move.from, move]));
  const changed = new Set([...byFrom.keys(), ...relinks.keys(), ...(inner.edits?.keys() ?? [])]);
  const changes = [...changed].flatMap((from): FileChange[] => {
    const { to, changes: own = [] } = byFrom.get(from) ?? { to: from };
    const edit = inner.edits?.get(from);
    return fileChange(context, { from, to, rewrite: rewritten.get(from), etag: edit?.etag }, [
      ...(edit?.before ?? []),
      ...relinkChange(relinks.get(from)),
      ...own,
      ...(edit?.after ?? []),
    ]);
  });
  const linked = [...(inner.parts?.notes ?? [])];
  const vacated = findVacated(context, files.moves);
  return {
    files: [...changes, ...others],
    ...(vacated.length === 0 ? {} : { vacated }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(linked.length === 0 ? {} : { linked }),
  };
}

/** Returns the folders that files leave and their parents, innermost first. Each may be empty after the move. */
export function findVacated({ isConfiguredFolder = () => true }: MoveContext, moves: ReadonlyMap<string, string>): readonly string[] {
  const vacated = new Set<string>();
  for (const [from, to] of moves) {
    for (const folder of foldersAbove(from).toReversed()) {
      // A folder with an invalid name could not be created again, so undo would fail.
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

/** Plans the rewriting of broken links to files that somebody moved outside of roux. A file may have had several paths. */
export function planExternalMoves(context: MoveContext, moves: readonly Pick<Move, 'from' | 'to'>[]): Plan {
  const relinks = new Map<string, Relink[]>();
  const canvases = new Map<string, FileChange>();
  const warnings = new Set<string>();
  const add = (path: string, links: readonly Relink[]): void => {
    const known = relinks.get(path) ?? [];
    relinks.set(path, [...known, ...links.filter(({ link, form }) => !known.some((each) => each.link === link && each.form === form))]);
  };
  for (const group of groupMoves(moves)) {
    const planned = planLinks(context, { moves: group, created: [] }, { hasHappened: true });
    for (const [from, links] of planned.relinks) add(group.get(from) ?? from, links);
    // Splices are valid for the present bytes only: other moves that affect the same canvas are handled in the next run.
    for (const file of planned.others) if ('path' in file && !canvases.has(file.path)) canvases.set(file.path, file);
    for (const warning of planned.warnings) warnings.add(warning);
  }
  const changes = [...relinks].flatMap(([from, links]): FileChange[] => {
    const path = toNotePath(from);
    return path === null ? [] : [{ kind: 'change', path, changes: withRevision(context, path, [{ op: 'relink', links }]) }];
  });
  return { files: [...changes, ...canvases.values()], ...(warnings.size === 0 ? {} : { warnings: [...warnings] }) };
}

/** Groups moves so that each file has only one origin per group. */
function groupMoves(moves: readonly Pick<Move, 'from' | 'to'>[]): readonly ReadonlyMap<string, string>[] {
  const groups: Map<string, string>[] = [];
  const counts = new Map<string, number>();
  for (const { from, to } of moves) {
    const group = counts.get(to) ?? 0;
    counts.set(to, group + 1);
    (groups[group] ??= new Map()).set(from, to);
  }
  return groups;
}

/** Plans the rewriting of links that new files would capture, so that they keep their targets. */
export function planCreateSideEffects(context: MoveContext, created: readonly string[]): Pick<Plan, 'files' | 'warnings'> {
  const { relinks, others, warnings } = planLinks(context, { moves: new Map(), created });
  const changes = [...relinks].flatMap(([from, links]): FileChange[] => {
    const path = toNotePath(from);
    return path === null ? [] : [{ kind: 'change', path, changes: withRevision(context, path, relinkChange(links)) }];
  });
  return { files: [...changes, ...others], ...(warnings.length === 0 ? {} : { warnings }) };
}

/**
 * Returns the files, by their old paths, with links that the step would have to rewrite: to moved or removed files, or captured by new
 * ones.
 */
export function listAffectedFiles(context: MoveContext, { moves, created, removed = [] }: FileMoves): ReadonlySet<string> {
  // Treats removals as moves, since links to them would break.
  const gone = new Map(
    removed.map((path) => [path, `${path.replace(/(\.[^./]+)$/, '')} ${REMOVED_MARK}${/\.[^./]+$/.exec(path)?.[0] ?? ''}`]),
  );
  const { relinks, rewritten, others, left } = planLinks(context, { moves: new Map([...moves, ...gone]), created });
  return new Set([...relinks.keys(), ...rewritten.keys(), ...others.flatMap((file) => ('path' in file ? file.path : [])), ...left]);
}

/** Notes up to this size are rewritten. The margin leaves room for longer link texts. */
const MAX_REWRITTEN_BYTES = MAX_FILE_BYTES - 256 * 1024;

/** Returns whether a note is too large for its text to be rewritten, so that it can only be moved. */
export function isTooLargeToRewrite(graph: GraphView, path: string): boolean {
  return (graph.get(path)?.stamp.size ?? 0) > MAX_REWRITTEN_BYTES;
}

/** The effect of a step on links. */
interface PlannedLinks {
  readonly relinks: ReadonlyMap<string, readonly Relink[]>;
  /** Changes that replace a plain move, by the old path. */
  readonly rewritten: ReadonlyMap<string, FileChange>;
  /** Changes to canvases and bases that are not moved. */
  readonly others: readonly FileChange[];
  /** Notes with links that cannot be rewritten. */
  readonly left: readonly string[];
  readonly warnings: readonly string[];
}

/** Plans what a step does to every link of the vault. */
export function planLinks(
  context: MoveContext,
  files: FileMoves,
  { hasHappened = false, inner = {} }: { readonly hasHappened?: boolean; readonly inner?: InnerEdits } = {},
): PlannedLinks {
  const { graph, style } = context;
  const now = fileLookup(graph);
  const back = new Map([...files.moves].map(([from, to]) => [to, from]));
  const before = hasHappened ? movedLookup(now, { moves: back, created: [] }) : now;
  const parts = inner.parts ?? null;
  const rewriter = new LinkRewriter(before, files, style.format, parts);
  const { relinks, stuck } = planRelinks(graph, rewriter, files, { hasHappened, parts });
  const tooLarge = [...relinks.keys()].filter((from) => isTooLargeToRewrite(graph, from));
  const canvases = planCanvases(context, canvasEdits(rewriter, files, inner));
  // Created and edited files do not affect bases.
  const isNamed = files.moves.size > 0 || inner.tags !== undefined;
  const bases = isNamed ? planBases(context, baseEdits(rewriter, files, inner)) : NO_BASES;
  const warnings = [
    ...stuck.map(
      ({ from, link, target }) => `${from}: the link [[${link}]] cannot be written so that it leads to ${target}; it was left alone.`,
    ),
    ...tooLarge
      .filter((path) => !files.moves.has(path))
      .map((path) => `${path}: it is too large to be written, so its links were left alone; split it, or change them by hand.`),
    ...(hasHappened ? [] : movedAsTheyAre(graph, files)),
    ...canvases.warnings,
    ...warnOfUnquotedLinks(context, rewriter, files),
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

/** Warns of moved notes that are too large to be read for links. */
function movedAsTheyAre(graph: GraphView, { moves }: FileMoves): readonly string[] {
  const large = [...moves].filter(([from]) => isTooLargeToRewrite(graph, from));
  return large.map(
    ([, to]) =>
      `${to}: it is too large to be written, so it was moved as it is: its own relative links, title and aliases stay as they were. Split it, or change them by hand.`,
  );
}

function canvasEdits(rewriter: LinkRewriter, files: FileMoves, { tags }: InnerEdits): CanvasEdits {
  const moves = new Map([...files.moves].map(([from, to]) => [normalizeId(from), normalizeId(to)]));
  return {
    fileOf: (path, subpath = '') => rewriter.partAfter(path, subpath)?.path ?? moves.get(normalizeId(path)) ?? null,
    subpathOf: (path, subpath) => {
      const after = rewriter.subpathAfter(path, subpath);
      return after === subpath ? null : after;
    },
    relinkOf: (link, canvas) => relinkOf(rewriter, link, canvas),
    tagOf: (tag) => tags?.tagAfter(tag) ?? null,
    pathAfter: (canvas) => rewriter.pathAfter(canvas),
  };
}

function baseEdits(rewriter: LinkRewriter, files: FileMoves, { folders = new Map(), tags }: InnerEdits): BaseEdits {
  return {
    fileOf: (path) => files.moves.get(path) ?? null,
    folderOf: (folder) => folderAfter(folders, folder),
    tagOf: (tag) => tags?.tagAfter(tag) ?? null,
    linkOf: (link, base) => relinkOf(rewriter, { form: 'wikilink', ...splitLinkText(link) }, base)?.to ?? null,
    pathAfter: (base) => rewriter.pathAfter(base),
  };
}

function relinkOf(rewriter: LinkRewriter, link: LinkUse, from: string): Relink | null {
  const outcome = rewriter.decide(link, from);
  return outcome?.kind === 'relink' ? outcome.relink : null;
}

/** Adds a revision to the changes of a note that counts revisions. Other notes do not get such keys from a move. */
export function withRevision(
  context: Pick<MoveContext, 'graph' | 'at'>,
  path: string,
  changes: readonly NoteChange[],
): readonly NoteChange[] {
  if (changes.length === 0 || changes.some((change) => change.op === 'touch')) return changes;
  const entry = context.graph.get(path);
  // Parsing the properties of a thousand linking notes would dominate the plan's time.
  const isCounted = entry !== null && entry.yaml?.includes('rev') !== false && revOf(entry.properties) !== null;
  return isCounted ? [...changes, { op: 'touch', at: context.at }] : changes;
}

/** Throws for moves onto existing files, or onto paths that differ from one only by case or Unicode form. */
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
