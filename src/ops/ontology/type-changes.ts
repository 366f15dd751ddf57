import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import { isRecord } from '../../is-record.ts';
import type { PropertyValue } from '../../note/note.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { connectionsOf } from '../connections/connection-index.ts';
import { nearestIn, nearestNames } from '../names/near-names.ts';
import { writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';
import { getOntology, joinNames, ONTOLOGY_PATH, noNodeType, requireOntology } from '../vault-ontology.ts';
import type { Ontology } from '../vault-ontology.ts';
import { typeExists, warnOfCaseCollision } from './ontology-note.ts';
import { requireConnectionType } from './write-connections.ts';

export type TypeKind = 'node' | 'connection';

/** A type of the ontology. `kind` is needed only where a node type and a connection type have the same name. */
interface WantedType {
  readonly name: string;
  readonly kind?: TypeKind;
}

/** How many of those that use a type a refusal names. */
const MAX_EXAMPLES = 5;

/** Renames a type that nothing uses; connection types that name a node type follow. */
export async function renameType(context: OperationContext, wanted: WantedType & { readonly to: string }): Promise<Ontology> {
  const { name, to } = wanted;
  await context.vault.writes.write(writeMeta(context, 'rename_type'), (graph) => {
    const ontology = requireEditable(context);
    const kind = kindOf(ontology, wanted);
    const among = namesOf(ontology, kind).filter((each) => each !== name);
    if (name === to) return { files: [] };
    if (among.includes(to)) throw typeExists(kind, to);
    warnOfCaseCollision(context, kind, { name: to, among });
    refuseUsed(context, graph, { name, kind, doing: 'renamed' });
    const rename = (value: PropertyValue): PropertyValue => (value === name ? to : value);
    return { files: [changeLists(graph, kind, (values) => values.map(rename))] };
  });
  return requireOntology(context);
}

/** Removes a type that neither notes and connections nor, for a node type, connection types use. */
export async function removeType(context: OperationContext, wanted: WantedType): Promise<Ontology> {
  const { name } = wanted;
  await context.vault.writes.write(writeMeta(context, 'remove_type'), (graph) => {
    const ontology = requireEditable(context);
    const kind = kindOf(ontology, wanted);
    refuseUsed(context, graph, { name, kind, doing: 'removed' });
    if (kind === 'node') refuseNeeded(ontology, name);
    return { files: [changeLists(graph, kind, (values) => values.filter((value) => value !== name))] };
  });
  return requireOntology(context);
}

/** Returns the ontology as its file states it. An edit that cannot be read must not be overwritten by the last good version. */
function requireEditable(context: OperationContext): Ontology {
  const { problem } = getOntology(context.vault);
  if (problem !== null) throw new RouxError('INVALID_FRONTMATTER', `${problem} Correct it first.`);
  return requireOntology(context);
}

function namesOf(ontology: Ontology, kind: TypeKind): readonly string[] {
  return kind === 'node' ? ontology.node_types : ontology.connection_types.map(({ name }) => name);
}

/** Returns the kind of a type. Throws `INVALID_ARGUMENT` for an unknown one, and `AMBIGUOUS` for a name that both kinds have. */
function kindOf(ontology: Ontology, { name, kind }: WantedType): TypeKind {
  const kinds = (['node', 'connection'] as const).filter((each) => namesOf(ontology, each).includes(name));
  if (kind === 'connection') requireConnectionType(ontology, name);
  if (kind === 'node' && !kinds.includes('node')) throw noNodeType(ontology, name);
  if (kind !== undefined) return kind;
  const [found, other] = kinds;
  if (other !== undefined) throw new RouxError('AMBIGUOUS', `"${name}" is a node type and a connection type; give kind.`, { kinds });
  if (found !== undefined) return found;
  const { text, details } = nearestIn(nearestNames(name, [...namesOf(ontology, 'node'), ...namesOf(ontology, 'connection')]));
  throw new RouxError('INVALID_ARGUMENT', `The ontology has no type "${name}".${text} get_ontology shows what it has.`, {
    type_name: name,
    ...details,
  });
}

function refuseUsed(
  context: OperationContext,
  graph: GraphView,
  { name, kind, doing }: { readonly name: string; readonly kind: TypeKind; readonly doing: string },
): void {
  const users =
    kind === 'node'
      ? graph.facets.byType(name).flatMap(({ id, type }) => (type === name ? [id] : []))
      : connectionsOf(context.vault)
          .all()
          .flatMap(({ id, type }) => (type === name ? [id] : []));
  if (users.length === 0) return;
  const examples = users.slice(0, MAX_EXAMPLES);
  const what = `${users.length} ${kind === 'node' ? 'note' : 'connection'}${users.length === 1 ? '' : 's'}`;
  const listed = `${examples.join(', ')}${users.length > examples.length ? ' …' : ''}`;
  const remedy = kind === 'node' ? 'Give these another type with update_nodes' : 'Delete these with delete_connection';
  throw new RouxError(
    'CONFLICT',
    `"${name}" is the type of ${what} (${listed}), so it cannot be ${doing}. ${remedy}, and repeat the call.`,
    {
      type_name: name,
      used_by: users.length,
      examples,
    },
  );
}

/** Refuses to remove a node type that connection types name, or the last one. */
function refuseNeeded(ontology: Ontology, name: string): void {
  const ends = ontology.connection_types.flatMap((type) => ([...type.from_types, ...type.to_types].includes(name) ? [type.name] : []));
  if (ends.length > 0)
    throw new RouxError(
      'CONFLICT',
      `"${name}" is an end of the connection types ${joinNames(ends)}, so it cannot be removed before them.`,
      {
        type_name: name,
        used_by: ends.length,
        examples: ends.slice(0, MAX_EXAMPLES),
      },
    );
  if (ontology.node_types.length === 1)
    throw new RouxError('INVALID_ARGUMENT', `"${name}" is the only node type. Delete ${ONTOLOGY_PATH} if there is to be no ontology.`);
}

/** Changes names in the lists of the file; whatever else people wrote there stays. */
function changeLists(graph: GraphView, kind: TypeKind, change: (names: readonly PropertyValue[]) => readonly PropertyValue[]): FileChange {
  const entry = graph.get(ONTOLOGY_PATH);
  if (entry === null) throw new RouxError('ONTOLOGY_NOT_FOUND', `${ONTOLOGY_PATH} is gone.`);
  const listOf = (value: PropertyValue | undefined): readonly PropertyValue[] =>
    Array.isArray(value) ? (value as readonly PropertyValue[]) : [];
  const types = listOf(entry.properties['connection_types']);
  const renamed = types.flatMap((type): readonly PropertyValue[] => {
    if (!isRecord(type)) return [type];
    const fields = type as { readonly [key: string]: PropertyValue };
    if (kind === 'node')
      return [{ ...fields, from_types: change(listOf(fields['from_types'])), to_types: change(listOf(fields['to_types'])) }];
    const [name] = change([fields['name'] ?? '']);
    return name === undefined ? [] : [{ ...fields, name }];
  });
  return {
    kind: 'change',
    path: entry.path,
    changes: [
      ...(kind === 'node' ? [{ op: 'set' as const, key: ['node_types'], value: change(listOf(entry.properties['node_types'])) }] : []),
      ...(types.length === 0 ? [] : [{ op: 'set' as const, key: ['connection_types'], value: renamed }]),
    ],
  };
}
