import type { NoteChange } from '../../../note/change.ts';
import type { Vault } from '../../../vault/vault.ts';
import { currentTime } from '../../operation.ts';
import type { ToolsetFinding } from '../../operation.ts';
import { listSome } from '../../shorten.ts';
import { formatStoredFact } from '../ingest/draft-files.ts';
import { relationKey } from '../reconcile/reconcile.ts';
import { reconcileAgain } from '../reconcile/restore-ended.ts';
import { isVisible } from '../retrieve/validity.ts';
import { singleRelations } from '../reconcile/single-relations.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';

/** Finds entities with several current values of a relation that has one, as edits of people leave them. The fix ends the earlier ones (K-14). */
export function findSeveralValues(vault: Vault, index: KnowledgeIndex): readonly ToolsetFinding[] {
  const now = currentTime({ vault });
  const isSingle = singleRelations(vault);
  const scope = { moment: { valid: now, known: null, isPast: false }, includeExpired: false };
  return index.all().flatMap((stored): readonly ToolsetFinding[] => {
    if (stored.kind !== 'entity' || !index.isServed(stored)) return [];
    const current = stored.facts.filter((fact) => isSingle(fact.name) && !fact.isNegated && isVisible(fact, scope));
    const groups = new Map<string, StoredFact[]>();
    for (const fact of current) groups.set(relationKey(fact), [...(groups.get(relationKey(fact)) ?? []), fact]);
    return [...groups.values()].flatMap((facts) => describe(index, stored, facts, { now, isSingle }));
  });
}

function describe(
  index: KnowledgeIndex,
  entity: StoredEntity,
  current: readonly StoredFact[],
  rules: { readonly now: string; readonly isSingle: (relation: string) => boolean },
): readonly ToolsetFinding[] {
  const targets = new Map(current.map((fact) => [index.targetOf(fact, entity.path)?.uuid ?? fact.linkpath, fact]));
  const [first] = current;
  if (targets.size < 2 || first === undefined) return [];
  const key = relationKey(first);
  const known = entity.facts
    .filter((fact) => relationKey(fact) === key)
    .map((fact) => ({ fact, targetUuid: index.targetOf(fact, entity.path)?.uuid ?? `unresolved:${fact.linkpath}` }));
  const changes = reconcileAgain(known, rules).flatMap((fact): NoteChange[] =>
    fact.line === null ? [] : [{ op: 'replace-line', section: 'Relations', line: fact.line, by: formatStoredFact(fact, entity.name) }],
  );
  const names = [...targets.values()].map((fact) => fact.shown ?? fact.linkpath);
  return [
    {
      kind: 'fact',
      paths: [entity.path],
      message: `${entity.path} has ${names.length} current values of ${first.name}, which has one at a time: ${listSome(names)}`,
      ...(changes.length === 0
        ? {}
        : {
            fix: {
              summary: 'end the earlier ones where the last one begins',
              files: [{ kind: 'change', path: entity.path, changes: [...changes, { op: 'touch', at: rules.now }] }],
            },
          }),
    },
  ];
}
