import type { Vault } from '../../vault/vault.ts';
import type { ToolsetFinding } from '../operation.ts';
import { listSome } from '../shorten.ts';
import { isKnownType, joinNames, getOntology } from '../vault-ontology.ts';

/** Finds an unreadable ontology, and notes of unknown types. */
export function findUnknownTypes(vault: Vault): readonly ToolsetFinding[] {
  const { graph } = vault;
  const { ontology, problem } = getOntology(vault);
  const broken: readonly ToolsetFinding[] = problem === null ? [] : [{ kind: 'ontology', paths: ['ontology.md'], message: problem }];
  if (ontology === null) return broken;
  const unknown = graph.facets.types().filter(({ type }) => !isKnownType(ontology, type));
  return [
    ...broken,
    ...unknown.map(({ type }): ToolsetFinding => {
      const paths = graph.facets.byType(type).map(({ path }) => path);
      return {
        kind: 'unknown-type',
        paths,
        message: `the ontology has no node type "${type}", only ${joinNames(ontology.node_types)}; in ${listSome(paths)}`,
      };
    }),
  ];
}
