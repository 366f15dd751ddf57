import { resolverOf } from '../../graph/links/resolve.ts';
import type { GraphLink } from '../../graph/view.ts';
import type { NoteChange, Relink } from '../../note/change.ts';
import { foldKey, toNotePath } from '../../note/path.ts';
import { writeLinkpath } from '../../vault/links/linkpath.ts';
import { planExternalMoves, touched } from '../../vault/links/move.ts';
import type { MoveContext } from '../../vault/links/move.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { linkContext, namedBy } from '../links.ts';
import type { Finding, Fix, Look } from './finding.ts';

/** Links that lead nowhere, with where they are known to have meant, and links that more than one file fits. */
export function findLinks(look: Look): readonly Finding[] {
  return [...findUnresolved(look), ...look.graph.ambiguous().map(describeAmbiguous)];
}

/** Links that lead nowhere. A fix follows notes that were moved, and aliases and titles that one note alone has. */
export function findUnresolved(look: Look): readonly Finding[] {
  const { graph } = look;
  const context = linkContext(look.vault, graph);
  const moves = planExternalMoves(context, movesOf(look));
  const healed = openHealed();
  for (const file of moves.files) if (file.kind === 'change') for (const relink of relinksOf(file)) healed.add(file.path, relink);
  const findings = graph.unresolved().map(({ linkpath, sources }): Finding => {
    for (const source of sources) healByName(look, context, healed, { source, linkpath });
    const fix = healed.fixOf(context, { linkpath, sources });
    return {
      kind: 'unresolved-link',
      paths: sources,
      message: `[[${linkpath}]] leads nowhere; in ${sources.join(', ')}`,
      ...(fix === null ? {} : { fix }),
    };
  });
  return [...findings, ...moves.files.filter(({ kind }) => kind !== 'change').flatMap(describeCanvas)];
}

function describeAmbiguous(link: GraphLink): Finding {
  const taken = link.target.kind === 'unresolved' ? 'none' : link.target.path;
  return {
    kind: 'ambiguous-link',
    paths: [link.from],
    message: `[[${link.linkpath}]] in ${link.from} fits several files; ${taken} is taken`,
  };
}

function describeCanvas(file: FileChange): readonly Finding[] {
  if (!('path' in file)) return [];
  const message = `${file.path} names a file by a place that it left`;
  return [{ kind: 'unresolved-link', paths: [file.path], message, fix: { summary: 'name it by its new place', files: [file] } }];
}

/** Former places that are free, of notes that are there, and that a link which leads nowhere may mean: histories are long. */
function movesOf({ graph, background }: Look): readonly { from: string; to: string }[] {
  const isFree = (path: string): boolean => graph.get(path) === null && !graph.isAttachment(path);
  const isBroken = ({ target }: GraphLink): boolean => target.kind === 'unresolved';
  const hasCanvases = [...graph.attachments()].some((path) => /\.canvas$/i.test(path));
  return [...background.places]
    .map(([from, to]) => ({ from, to }))
    .filter(({ from, to }) => isFree(from) && !isFree(to))
    .filter(({ from, to }) => hasCanvases || graph.linksByKey(from).some(isBroken) || graph.links(to).some(isBroken));
}

/** A link by a name that no file has, but one note alone as its alias or title. */
function healByName(look: Look, context: MoveContext, healed: Healed, { source, linkpath }: { source: string; linkpath: string }): void {
  const { graph } = look;
  for (const link of graph.links(source)) {
    if (link.target.kind !== 'unresolved' || keyOf(link.linkpath) !== keyOf(linkpath) || link.linkpath.includes('/')) continue;
    const text = link.linkpath + link.subpath;
    if (healed.has(source, { link: text, form: link.form })) continue;
    const target = namedBy(graph, link.linkpath);
    if (target === null) continue;
    const resolve = resolverOf(graph);
    const written = writeLinkpath({
      format: context.style.format,
      form: link.form,
      linkpath: link.linkpath,
      before: target.path,
      target: target.path,
      source,
      resolve: (to) => resolve({ linkpath: to, from: source }),
    });
    if (written !== null) healed.add(source, { link: text, form: link.form, to: written + link.subpath });
  }
}

/** Spellings of one missing name are one finding. */
function keyOf(linkpath: string): string {
  return foldKey(linkpath).replace(/(?:\.md)+$/, '');
}

function relinksOf(file: Extract<FileChange, { kind: 'change' }>): readonly Relink[] {
  return file.changes.flatMap((change) => (change.op === 'relink' ? change.links : []));
}

/** Relinks by note, handed out to the findings that they put right. */
interface Healed {
  add(path: string, relink: Relink): void;
  has(path: string, link: Pick<Relink, 'link' | 'form'>): boolean;
  fixOf(context: MoveContext, ghost: { linkpath: string; sources: readonly string[] }): Fix | null;
}

function openHealed(): Healed {
  const relinks = new Map<string, Relink[]>();
  const linkpathOf = ({ link }: Relink): string => link.split('#', 1)[0] ?? '';
  return {
    add(path, relink) {
      const own = relinks.get(path);
      if (own === undefined) relinks.set(path, [relink]);
      else own.push(relink);
    },
    has: (path, { link, form }) => relinks.get(path)?.some((each) => each.link === link && each.form === form) ?? false,
    fixOf(context, { linkpath, sources }) {
      const names = new Set<string>();
      const files = sources.flatMap((source): FileChange[] => {
        const path = toNotePath(source);
        const own = (relinks.get(source) ?? []).filter((relink) => keyOf(linkpathOf(relink)) === keyOf(linkpath));
        if (path === null || own.length === 0) return [];
        for (const { to } of own) names.add(to);
        const changes: NoteChange[] = [{ op: 'relink', links: own }];
        return [{ kind: 'change', path, changes: touched(context, path, changes) }];
      });
      return files.length === 0 ? null : { summary: `write ${[...names].map((to) => `[[${to}]]`).join(', ')} there`, files };
    },
  };
}
