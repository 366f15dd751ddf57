import { RouxError } from '../../errors.ts';
import { linkKey } from '../../graph/links/resolve.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import { revOf } from '../../note/frontmatter/property-value.ts';
import { foldKey, normalizeId, toNotePath } from '../../note/path.ts';
import { maxFileBytes } from '../../store/transaction/plan-steps.ts';
import type { FileChange, Plan } from '../plan/plan.ts';
import { planCanvases } from './canvas.ts';
import type { CanvasEdits } from './canvas.ts';
import { fileLookup, movedLookup } from './file-lookup.ts';
import type { FileMoves, FileView } from './file-lookup.ts';
import type { LinkStyle } from './link-style.ts';
import { LinkFates, planRelinks } from './relinks.ts';
import { unlinkedMentions } from './unlinked.ts';

/** What planning a move needs from outside: the files, and how this vault writes links. */
export interface MoveContext extends FileView {
  readonly style: LinkStyle;
  /** ISO 8601 time for `updated_at` of notes that count their revisions. */
  readonly at: string;
}

/** One file of a move, with changes to its own text besides its links. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly changes?: readonly NoteChange[];
}

/** Files change their places, and every link that would lead elsewhere then is rewritten. Nothing else changes. */
export function planMoves(context: MoveContext, moves: readonly Move[]): Plan {
  checkPaths(context.graph, moves);
  const files: FileMoves = { moves: new Map(moves.filter(({ from, to }) => from !== to).map(({ from, to }) => [from, to])), created: [] };
  const { changes, own, canvases, warnings } = planLinks(context, files);
  const moved = moves.flatMap((move): FileChange[] => {
    const canvas = canvases.get(move.from);
    if (canvas !== undefined) return [canvas];
    const relinks = own.get(move.from) ?? [];
    const all: NoteChange[] = [...(relinks.length === 0 ? [] : [{ op: 'relink' as const, links: relinks }]), ...(move.changes ?? [])];
    const path = toNotePath(move.from);
    if (move.from === move.to)
      return path === null || all.length === 0 ? [] : [{ kind: 'change', path, changes: withRevision(context, path, all) }];
    return [{ kind: 'move', from: move.from, to: move.to, changes: path === null ? [] : withRevision(context, path, all) }];
  });
  return { files: [...moved, ...changes], ...(warnings.length === 0 ? {} : { warnings }) };
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
    const planned = planLinks(context, { moves: round, created: [] }, true);
    for (const [from, links] of planned.own) add(round.get(from) ?? from, links);
    for (const file of planned.changes) {
      if (file.kind === 'change')
        add(
          file.path,
          file.changes.flatMap((change) => (change.op === 'relink' ? change.links : [])),
        );
      // Splices hold for the bytes as they are: what another place of a file asks of the same canvas is done the next time.
      else if ('path' in file && !canvases.has(file.path)) canvases.set(file.path, file);
    }
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
  const { changes, warnings } = planLinks(context, { moves: new Map(), created });
  return { files: changes, ...(warnings.length === 0 ? {} : { warnings }) };
}

/** What removed files leave behind: links that lead nowhere, or to another file of the name, from now on. Prose is not edited. `changed`: files whose links are as they will not stay. */
export function removeWarnings(
  graph: GraphView,
  removed: readonly string[],
  changed: { has(path: string): boolean } = new Set(),
): readonly string[] {
  const gone = new Set(removed);
  const fates = new LinkFates(fileLookup(graph), { moves: new Map(), created: [], removed }, 'minimal');
  const seen = new Set<string>();
  return removed.flatMap((path) =>
    graph.backlinks(path).flatMap((link) => {
      const use = `${link.from}\n${link.linkpath}`;
      if (gone.has(link.from) || changed.has(link.from) || link.linkpath === '' || seen.has(use)) return [];
      seen.add(use);
      const next = fates.afterOf(link, link.from);
      return `${link.from}: the link to ${link.linkpath} ${next === null ? 'now leads nowhere' : `now leads to ${next}`}.`;
    }),
  );
}

/** Notes up to this size are rewritten: longer link texts must not make one larger than a write may leave it. */
const WRITABLE_BYTES = maxFileBytes - 256 * 1024;

function planLinks(context: MoveContext, files: FileMoves, hasHappened = false) {
  const { graph, style } = context;
  const now = fileLookup(graph);
  const back = new Map([...files.moves].map(([from, to]) => [to, from]));
  const before = hasHappened ? movedLookup(now, { moves: back, created: [] }) : now;
  const fates = new LinkFates(before, files, style.format);
  const { relinks, stuck } = planRelinks(graph, fates, files, hasHappened);
  const own = new Map<string, readonly Relink[]>();
  const changes: FileChange[] = [];
  const tooLarge: string[] = [];
  for (const [from, links] of relinks) {
    const path = toNotePath(from);
    if (files.moves.has(from)) own.set(from, links);
    else if ((graph.get(from)?.stamp.size ?? 0) > WRITABLE_BYTES) tooLarge.push(from);
    else if (path !== null) changes.push({ kind: 'change', path, changes: withRevision(context, path, [{ op: 'relink', links }]) });
  }
  const canvases = planCanvases(context, canvasEdits(fates, files));
  const warnings = [
    ...stuck.map(
      ({ from, link, target }) => `${from}: the link [[${link}]] cannot be written so that it leads to ${target}; it was left alone.`,
    ),
    ...tooLarge.map((path) => `${path}: it is too large to be written, so its links were left alone; split it, or change them by hand.`),
    ...canvases.warnings,
    ...unlinkedMentions(context, fates, files),
  ];
  return { changes: [...changes, ...canvases.files], own, canvases: canvases.moved, warnings };
}

function canvasEdits(fates: LinkFates, files: FileMoves): CanvasEdits {
  const moves = new Map([...files.moves].map(([from, to]) => [normalizeId(from), normalizeId(to)]));
  return {
    fileOf: (path) => moves.get(normalizeId(path)) ?? null,
    subpathOf: () => null,
    relinkOf: (link, canvas) => {
      const fate = fates.fateOf(link, canvas);
      return fate?.kind === 'relink' ? fate.relink : null;
    },
    pathAfter: (canvas) => fates.pathAfter(canvas),
  };
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
