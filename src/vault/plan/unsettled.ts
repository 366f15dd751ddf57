import type { GraphView } from '../../graph/view.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { parseNote } from '../../note/parse.ts';
import { isNotePath } from '../../note/path.ts';
import type { UnsettledLink, UnsettledLinks } from '../links/unsettled-links.ts';
import type { Plan } from './plan.ts';
import type { PreparedFile } from './prepare.ts';

/** Returns the links to what a plan moves that it cannot rewrite, because their notes are being saved at this moment. */
export function unsettledLinks(write: {
  readonly plan: Plan;
  readonly prepared: readonly PreparedFile[];
  readonly graph: GraphView;
  readonly unsettled: Pick<UnsettledLinks, 'linksTo'>;
}): readonly UnsettledLink[] {
  const { plan, prepared, graph, unsettled } = write;
  const moved = plan.files.flatMap((file) => (file.kind === 'move' ? [file.from] : []));
  const targets = new Set<string>([...moved, ...(plan.linked ?? [])]);
  if (targets.size === 0) return [];
  return [...unsettled.linksTo(targets), ...prepared.flatMap((file) => missingLinks(file, graph, targets))];
}

/** Returns the targets to which a note led when the graph read it, and to which the bytes on disk lead no longer. */
function missingLinks({ change, sides }: PreparedFile, graph: GraphView, targets: ReadonlySet<string>): readonly UnsettledLink[] {
  const { pathBefore: path, before } = sides;
  if (path === null || before === null || !isNotePath(path)) return [];
  if (change.kind === 'create' || change.of.hash === graph.get(path)?.hash) return [];
  const targetsOf = (linkpaths: readonly string[]): Set<string> => {
    const found = linkpaths.map((linkpath) => graph.resolve({ linkpath, from: path }));
    return new Set(found.flatMap((target) => (target.kind !== 'unresolved' && targets.has(target.path) ? [target.path] : [])));
  };
  const known = targetsOf(graph.links(path).map(({ linkpath }) => linkpath));
  known.delete(path);
  if (known.size === 0) return [];
  const onDisk = targetsOf(parseNote(path, before).links.map(({ link }) => splitLinkText(link).linkpath));
  return [...known].filter((to) => !onDisk.has(to)).map((to) => ({ from: path, to }));
}

/** Returns the plan with a warning for each of these links. */
export function withUnsettled<P extends Plan>(plan: P, links: readonly UnsettledLink[]): P {
  if (links.length === 0) return plan;
  const warnings = links.map(
    ({ from, to }) =>
      `${from} was saved a moment ago without its link to ${to}. If that save was not finished, the link still has the old name: read the note again in a few seconds.`,
  );
  return { ...plan, warnings: [...(plan.warnings ?? []), ...new Set(warnings)] };
}
