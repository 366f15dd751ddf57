import type { OperationContext } from '../../operation.ts';
import type { Question } from '../stored/fact-text-index.ts';
import { uuidOf } from '../stored/group-statements.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { isVisible } from './validity.ts';
import type { Scope } from './validity.ts';

/** Facts that are counted, and groups that are named. */
const MAX_COUNTED = 100;
const MAX_GROUPS = 5;

/** Warns about matching facts that an empty answer leaves out: not known yet, not valid then, or in another group; nothing if there are none. */
export function explainEmpty(
  { warn }: Pick<OperationContext, 'warn'>,
  index: KnowledgeIndex,
  { groups, asked, scope }: { readonly groups: readonly KnowledgeGroup[]; readonly asked: Question; readonly scope: Scope },
): void {
  const { valid, known } = scope.moment;
  const count = (group: KnowledgeGroup, within: Scope): number => {
    const accept = (key: string): boolean => {
      const found = group.fact(uuidOf(key));
      return found !== null && isVisible(found.fact, within);
    };
    const keys = group.textIndex().find(asked, { limit: MAX_COUNTED, accept, around: (key) => group.around(key) });
    return new Set(keys.map(uuidOf)).size;
  };
  const total = (within: Scope): number => groups.reduce((sum, group) => sum + count(group, within), 0);
  const later = known === null ? 0 : total({ ...scope, moment: { ...scope.moment, known: null } });
  if (later > 0) warn(`${facts(later)} held at ${valid} but became known only after ${known ?? ''}. Ask without "known" to get them.`);
  const past = scope.includeExpired ? 0 : total({ ...scope, includeExpired: true });
  if (past > 0) warn(`${facts(past)} did not hold at ${valid}. Ask with include_expired (--all) to get them.`);
  const others = index
    .groups()
    .filter((group) => !groups.some(({ id }) => id === group.id))
    .flatMap((group) => {
      const found = count(group, scope);
      return found === 0 ? [] : [`${group.id} (${found === MAX_COUNTED ? `${found} or more` : found})`];
    });
  if (others.length > 0) warn(`Other groups have matching facts: ${others.slice(0, MAX_GROUPS).join(', ')}.`);
}

function facts(count: number): string {
  return count === 1 ? '1 matching fact' : `${count === MAX_COUNTED ? `At least ${count}` : count} matching facts`;
}
