import { isStale, STALE_AFTER, toFreshness } from '../../../note/freshness.ts';
import type { StaleFact } from '../../operation.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredFact } from '../stored/shapes.ts';
import { toFact } from '../stored/statements.ts';

/** Finds the facts and statements past their day that are still believed. */
export function findStaleFacts(index: KnowledgeIndex, today: string): readonly StaleFact[] {
  return index.all().flatMap((stored) =>
    factsOf(stored).flatMap((fact): readonly StaleFact[] => {
      if (!isStale(fact, today) || fact.expiredAt !== null || !index.isServed(stored)) return [];
      return [{ path: stored.path, uuid: fact.uuid, fact: fact.fact, freshness: toFreshness(fact.verified, fact.staleAfter) }];
    }),
  );
}

/** Returns the facts of a note if any of them may be stale: parsing all of a large vault takes seconds. */
function factsOf(stored: Stored): readonly StoredFact[] {
  if (stored.kind === 'entity') return stored.factLines.some((line) => line.includes(STALE_AFTER)) ? stored.facts : [];
  return stored.statementInfo === null ? [] : stored.statements.map((statement) => toFact(statement, stored));
}
