import { normalizeRelation } from '../../../extraction/names.ts';
import type { Vault } from '../../../vault/vault.ts';
import { getOntology } from '../../vault-ontology.ts';

/** Relations of which an entity usually has one value at a time. */
const USUAL_RELATIONS: readonly string[] = [
  'LIVES_IN',
  'WORKS_AT',
  'EMPLOYED_BY',
  'MARRIED_TO',
  'SPOUSE_OF',
  'HAS_STATUS',
  'HAS_ROLE',
  'HAS_TITLE',
  'BORN_ON',
  'BORN_IN',
  'LOCATED_IN',
  'OWNED_BY',
  'REPORTS_TO',
];

/** Returns a predicate for relations of which an entity has one value at a time. */
export function singleRelations(vault: Vault): (relation: string) => boolean {
  const names = new Set(singleRelationNames(vault).map(normalizeRelation));
  return (relation) => names.has(normalizeRelation(relation));
}

/** Returns the relations of which an entity has one value at a time: those in the settings, and `single` ones of the ontology. */
export function singleRelationNames(vault: Vault): readonly string[] {
  const typed = getOntology(vault).ontology?.connection_types.filter(({ single }) => single === true) ?? [];
  return [...(vault.settings.config.knowledge.single ?? USUAL_RELATIONS), ...typed.map(({ name }) => name)];
}
