import { normalizeName } from '../../extraction/names.ts';
import type { Vault } from '../../vault/vault.ts';
import { getOntology } from '../vault-ontology.ts';

/** Returns a predicate for relations of which an entity has one at a time. */
export function singleRelations(vault: Vault): (relation: string) => boolean {
  const names = new Set(singleRelationNames(vault).map(normalizeName));
  return (relation) => names.has(normalizeName(relation));
}

/** Returns the relations of which an entity has one at a time: those in the settings, and `single` ones of the ontology. */
export function singleRelationNames(vault: Vault): readonly string[] {
  const typed = getOntology(vault).ontology?.connection_types.filter(({ single }) => single === true) ?? [];
  return [...vault.settings.config.knowledge.single, ...typed.map(({ name }) => name)];
}
