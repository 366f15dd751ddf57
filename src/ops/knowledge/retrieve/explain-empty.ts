import type { OperationContext } from '../../operation.ts';
import type { Question } from '../stored/text-index/fact-text-index.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import { isVisible } from './validity.ts';
import type { Scope } from './validity.ts';

/** Facts that are counted. */
const MAX_COUNTED = 100;

/** Warns about matching facts that an empty answer leaves out: not known yet, or not valid then. Other groups are not looked at (S3-04). */
export function explainEmpty(
  { warn }: Pick<OperationContext, 'warn'>,
  { groups, asked, scope }: { readonly groups: readonly KnowledgeGroup[]; readonly asked: Question; readonly scope: Scope },
): void {
  const { valid, known } = scope.moment;
  const count = (group: KnowledgeGroup, within: Scope): number => {
    const accept = (key: string): boolean => {
      const found = group.fact(uuidOf(key));
      return found !== null && isVisible(found.fact, within);
    };
    const keys = group.texts.index().find(asked, { limit: MAX_COUNTED, accept, neighbors: (key) => group.neighbors(key) });
    return new Set(keys.map(({ key }) => uuidOf(key))).size;
  };
  const total = (within: Scope): number => groups.reduce((sum, group) => sum + count(group, within), 0);
  const later = known === null ? 0 : total({ ...scope, moment: { ...scope.moment, known: null } });
  if (later > 0) warn(`${facts(later)} held at ${valid} but became known only after ${known ?? ''}. Ask without "known" to get them.`);
  const past = scope.includeExpired ? 0 : total({ ...scope, includeExpired: true });
  if (past > 0) warn(`${facts(past)} did not hold at ${valid}. Ask with include_expired (--all) to get them.`);
}

function facts(count: number): string {
  return count === 1 ? '1 matching fact' : `${count === MAX_COUNTED ? `At least ${count}` : count} matching facts`;
}
