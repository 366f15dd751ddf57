import { RouxError } from '../../../errors.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import { isSameActor, STALE_AFTER, VERIFIED, withConfirmation } from '../../../note/freshness.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ConfirmedFacts, Confirming } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { planEntityChanges } from '../ingest/draft-files.ts';
import { findFact } from '../retrieve/read.ts';
import type { FoundStatement } from '../stored/group-statements.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { StoredEntity, StoredFact } from '../stored/shapes.ts';
import { confirmationKey, STATEMENT_INFO } from '../stored/statements.ts';

/** Plans the confirmation of facts, each on its line, and of statements, in the frontmatter of their episodes. */
export function planConfirmation(vault: Vault, uuids: readonly string[], confirming: Confirming): ConfirmedFacts {
  const index = knowledgeOf(vault);
  index.refresh();
  const facts: ConfirmedFacts['facts'][number][] = [];
  const files: FileChange[] = [];
  const changed = new Map<StoredEntity, Map<string, StoredFact>>();
  for (const uuid of new Set(uuids)) {
    const found = findFact(index, uuid);
    if (found === null) continue;
    const { source } = found;
    const group = index.group(source.groupId);
    const said = group?.statement(uuid) ?? null;
    const entity = said === null ? (group?.entity(source.uuid) ?? null) : null;
    const fact = confirmFact(found.fact, confirming);
    if (said !== null) files.push(planStatement(said, confirming));
    else if (entity !== null) {
      checkLine(entity, fact);
      const others = changed.get(entity) ?? new Map<string, StoredFact>();
      changed.set(entity, others.set(uuid, fact));
    }
    facts.push({ uuid, fact: fact.fact, path: said?.episode.path ?? source.path, staleAfter: fact.staleAfter });
  }
  for (const [stored, of] of changed)
    files.push(...planEntityChanges({ ...stored, stored, id: stored.uuid, origin: null, changed: of, added: [] }, stored, confirming.at));
  return { facts, files };
}

function confirmFact(fact: StoredFact, { by, at, staleAfter = fact.staleAfter }: Confirming): StoredFact {
  return { ...fact, verified: [{ by, at }, ...fact.verified.filter((each) => !isSameActor(each.by, by))], staleAfter };
}

/** Two equal lines that a person wrote cannot be told apart once the first one has an id. */
function checkLine({ path, facts }: StoredEntity, { line, fact }: StoredFact): void {
  if (facts.filter((each) => each.line === line).length < 2) return;
  throw new RouxError('CONFLICT', `${path} has the fact ${JSON.stringify(shorten(fact, 80))} on two equal lines; remove one of them.`, {
    path,
  });
}

function planStatement({ statement, episode }: FoundStatement, { staleAfter, ...confirmation }: Confirming): FileChange {
  const key = [STATEMENT_INFO, confirmationKey(statement)];
  const own = episode.statementInfo?.[confirmationKey(statement)];
  const verified = isPropertyMap(own) ? own[VERIFIED] : undefined;
  const changes: NoteChange[] = [
    { op: 'set', key: [...key, VERIFIED], value: withConfirmation(verified, confirmation) ?? [{ ...confirmation }], keepsAliases: true },
  ];
  if (staleAfter === null) changes.push({ op: 'unset', key: [...key, STALE_AFTER] });
  else if (staleAfter !== undefined) changes.push({ op: 'set', key: [...key, STALE_AFTER], value: staleAfter });
  return { kind: 'change', path: episode.path, changes: [...changes, { op: 'touch', at: confirmation.at }] };
}
