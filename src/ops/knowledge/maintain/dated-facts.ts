import { STALE_AFTER, VERIFIED } from '../../../note/freshness.ts';
import type { DatedFact } from '../../operation.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredFact } from '../stored/shapes.ts';
import { toFact } from '../stored/statements.ts';

/** Finds the facts and statements that are still believed and have been confirmed, or have a day from which on they are stale. */
export function findDatedFacts(index: KnowledgeIndex): readonly DatedFact[] {
  return index.all().flatMap((stored) =>
    factsOf(stored).flatMap((fact): readonly DatedFact[] => {
      if ((fact.staleAfter === null && fact.verified.length === 0) || fact.expiredAt !== null || !index.isServed(stored)) return [];
      return [{ path: stored.path, uuid: fact.uuid, fact: fact.fact, freshness: fact }];
    }),
  );
}

/** Returns the facts of a note if any of them may be dated: parsing all of a large vault takes seconds. */
function factsOf(stored: Stored): readonly StoredFact[] {
  if (stored.kind === 'entity')
    return stored.factLines.some((line) => line.includes(STALE_AFTER) || line.includes(VERIFIED)) ? stored.facts : [];
  return stored.statementInfo === null ? [] : stored.statements.map((statement) => toFact(statement, stored));
}
