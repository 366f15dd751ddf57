import { joinRelative } from '../../graph/links/resolve.ts';
import type { GraphLink, GraphView } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import { toNotePath } from '../../note/path.ts';
import { PathHistory } from '../../vault/links/path-history.ts';
import { missingKey, relinkTo } from '../../vault/links/renames/plan-retarget.ts';
import { planExternalMoves, withRevision } from '../../vault/links/move.ts';
import type { MoveContext } from '../../vault/links/move.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { createRenameContext, findByTitle } from '../links.ts';
import { findMissingPartsInSteps } from '../names/missing-parts.ts';
import { createTargetFinder } from '../names/near-targets.ts';
import { listNowhere } from '../names/nowhere.ts';
import type { Finding, Fix, CheckInput } from './finding.ts';

/** Finds unresolved links, with their probable targets, and ambiguous links. */
export function findLinks(input: CheckInput): readonly Finding[] {
  return [...findUnresolved(input), ...input.graph.ambiguous().filter(isInDoubt).map(describeAmbiguous)];
}

/** Finds links to a heading or block that their note lacks. Obsidian opens the note for them, so that nobody notices. In steps, as notes are read. */
export function* findMissingHeadings({ vault, graph, entries }: CheckInput): Generator<void, readonly Finding[]> {
  const paths = entries.map(({ path }) => path);
  const missing = yield* findMissingPartsInSteps(vault, graph, paths);
  return missing.map(({ message, from, nearest }) => ({ kind: 'missing-heading', paths: from, message, nearest }));
}

/** Finds unresolved links. A fix follows moved notes, and aliases and titles of exactly one note. */
export function findUnresolved(input: CheckInput): readonly Finding[] {
  const { graph } = input;
  const context = createRenameContext(input.vault, graph);
  const moves = planExternalMoves(context, movesOf(input));
  const healed = createHealed();
  const broken = brokenLinks(graph);
  const foreign = new PathHistory();
  for (const [from, to] of input.background.movedNotes.foreign) foreign.move(from, to);
  for (const file of moves.files) if (file.kind === 'change') for (const relink of relinksOf(file)) healed.add(file.path, relink);
  const nearest = createTargetFinder(input.vault);
  const findings = listNowhere(input.vault).map(({ linkpath, sources }): Finding => {
    for (const source of sources) for (const link of broken(source, linkpath)) healByName(input, context, healed, link);
    const fix = healed.fixOf(context, { linkpath, sources });
    const claimed = fix === null ? null : foreign.resolve(linkpath);
    const source = claimed === null ? '' : `; that it is ${claimed} now is said by a line of the history that was not written here`;
    return {
      kind: 'unresolved-link',
      paths: sources,
      message: `[[${linkpath}]] leads nowhere${source}`,
      nearest: () => nearest({ linkpath, sources }),
      ...(fix === null ? {} : { fix }),
    };
  });
  return [...findings, ...moves.files.filter(({ kind }) => kind !== 'change').flatMap(describeCanvas)];
}

/** Whether other programs may follow a link to another file. A Markdown link that names its file from where it stands means the same to all. */
function isInDoubt({ form, from, linkpath, target }: GraphLink): boolean {
  if (form === 'wikilink' || target.kind === 'unresolved') return true;
  const named = joinRelative({ linkpath, from });
  return target.path !== named && target.path !== `${named}.md`;
}

function describeAmbiguous(link: GraphLink): Finding {
  const taken = link.target.kind === 'unresolved' ? 'none' : link.target.path;
  return {
    kind: 'ambiguous-link',
    paths: [link.from],
    message: `[[${link.linkpath}]] fits several files; ${taken} is taken`,
  };
}

function describeCanvas(file: FileChange): readonly Finding[] {
  if (!('path' in file)) return [];
  const message = 'a file is named by a place that it left';
  return [{ kind: 'unresolved-link', paths: [file.path], message, fix: { summary: 'name it by its new place', files: [file] } }];
}

/** Returns free previous paths of existing notes that unresolved links may mean; the history may have many others. */
function movesOf({ graph, background }: CheckInput): readonly { from: string; to: string }[] {
  const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
  const isBroken = ({ target }: GraphLink): boolean => target.kind === 'unresolved';
  const hasCanvases = [...graph.attachments()].some((path) => /\.canvas$/i.test(path));
  const { own, foreign } = background.movedNotes;
  return [...own, ...foreign]
    .map(([from, to]) => ({ from, to }))
    .filter(({ from, to }) => isFree(from) && !isFree(to))
    .filter(({ from, to }) => hasCanvases || graph.linksByKey(from).some(isBroken) || graph.links(to).some(isBroken));
}

/** Returns a function that lists the unresolved links of a note by name; each note is read once. */
function brokenLinks(graph: GraphView): (source: string, linkpath: string) => readonly GraphLink[] {
  const bySource = new Map<string, ReadonlyMap<string, readonly GraphLink[]>>();
  return (source, linkpath) => {
    let byKey = bySource.get(source);
    if (byKey === undefined) {
      const broken = graph.links(source).filter(({ target }) => target.kind === 'unresolved');
      bySource.set(source, (byKey = groupBy(broken, (link) => missingKey(link.linkpath))));
    }
    return byKey.get(missingKey(linkpath)) ?? [];
  };
}

/** Fixes a link by a name that is the alias or title of exactly one note. */
function healByName({ graph }: CheckInput, context: MoveContext, healed: Healed, link: GraphLink): void {
  const { from: source, linkpath, subpath, form } = link;
  const text = linkpath + subpath;
  if (healed.has(source, { link: text, form })) return;
  // A title such as "C# in depth" looks like a heading of a note.
  const titled = subpath === '' ? null : findByTitle(graph, text);
  const target = titled ?? findByTitle(graph, linkpath);
  if (target === null) return;
  const relink = relinkTo(context, titled === null ? link : { ...link, subpath: '' }, target.path);
  if (relink !== null) healed.add(source, { ...relink, link: text });
}

function groupBy<T>(values: readonly T[], keyFor: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyFor(value));
    if (group === undefined) groups.set(keyFor(value), [value]);
    else group.push(value);
  }
  return groups;
}

function relinksOf(file: Extract<FileChange, { kind: 'change' }>): readonly Relink[] {
  return file.changes.flatMap((change) => (change.op === 'relink' ? change.links : []));
}

/** Collects link fixes by note and assigns them to findings. */
interface Healed {
  add(path: string, relink: Relink): void;
  has(path: string, link: Pick<Relink, 'link' | 'form'>): boolean;
  fixOf(context: MoveContext, ghost: { linkpath: string; sources: readonly string[] }): Fix | null;
}

function createHealed(): Healed {
  /** By note and missing name. */
  const relinks = new Map<string, Relink[]>();
  const relinkKey = (path: string, link: string): string => `${missingKey(link.split('#', 1)[0] ?? '')}\n${path}`;
  return {
    add(path, relink) {
      const key = relinkKey(path, relink.link);
      const own = relinks.get(key);
      if (own === undefined) relinks.set(key, [relink]);
      else own.push(relink);
    },
    has: (path, { link, form }) => relinks.get(relinkKey(path, link))?.some((each) => each.link === link && each.form === form) ?? false,
    fixOf(context, { linkpath, sources }) {
      const names = new Set<string>();
      const files = sources.flatMap((source): FileChange[] => {
        const path = toNotePath(source);
        const own = relinks.get(relinkKey(source, linkpath));
        if (path === null || own === undefined) return [];
        for (const { to } of own) names.add(to);
        const changes: NoteChange[] = [{ op: 'relink', links: own }];
        return [{ kind: 'change', path, changes: withRevision(context, path, changes) }];
      });
      return files.length === 0 ? null : { summary: `write ${[...names].map((to) => `[[${to}]]`).join(', ')} there`, files };
    },
  };
}
