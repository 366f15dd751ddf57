import type { Relink } from '../../../note/change.ts';
import { toNotePath } from '../../../note/path.ts';
import type { FileChange } from '../../plan/plan.ts';
import { planLinks, withRevision } from '../move.ts';
import type { MoveContext } from '../move.ts';

/** What merging notes into one does to the links of the vault. */
export interface MergedLinks {
  /** The links of the sources and of the target to rewrite, by path; those of a source as they are in the target. */
  readonly inner: ReadonlyMap<string, readonly Relink[]>;
  /** Changes to all other files that link to a source. */
  readonly files: readonly FileChange[];
  readonly warnings: readonly string[];
}

/** Plans the rewriting of every link to the sources, so that it leads to the target, headings and blocks included. */
export function planMergedLinks(context: MoveContext, sources: readonly string[], target: string): MergedLinks {
  const moves = new Map(sources.map((source) => [source, target]));
  const { relinks, rewritten, others, warnings } = planLinks(context, { moves, created: [] });
  const isInner = (path: string): boolean => path === target || moves.has(path);
  const outer = [...relinks].flatMap(([from, links]): FileChange[] => {
    const path = isInner(from) ? null : toNotePath(from);
    return path === null ? [] : [{ kind: 'change', path, changes: withRevision(context, path, [{ op: 'relink', links }]) }];
  });
  return { inner: new Map([...relinks].filter(([path]) => isInner(path))), files: [...outer, ...rewritten.values(), ...others], warnings };
}
