import { RouxError } from '../../errors.ts';
import type { NoteChange } from '../../note/change.ts';
import { composeNote } from '../../note/compose.ts';
import { foldKey, toNotePath } from '../../note/path.ts';
import type { FileChange } from '../../vault/plan/plan.ts';
import { joinNames, ONTOLOGY_PATH, getOntology, requireOntology } from '../vault-ontology.ts';
import type { ConnectionType, Ontology } from '../vault-ontology.ts';
import { writeMeta } from '../operation.ts';
import type { OperationContext } from '../operation.ts';

const EXPLANATION = `
# Ontology

The types that notes of this vault can have (\`type\` in their properties), and how notes of these types may be connected.
roux reads the properties above. Edit them by hand or through the ontology tools; a mistake keeps the last good version in force.
`;

/** Converts a connection type to frontmatter, with keys in a fixed order and without empty lists. */
function toProperty(type: ConnectionType): { [key: string]: string | readonly string[] } {
  const required = type.required_properties ?? [];
  return {
    name: type.name,
    from_types: [...new Set(type.from_types)],
    to_types: [...new Set(type.to_types)],
    ...(required.length === 0 ? {} : { required_properties: [...new Set(required)] }),
  };
}

/** Refuses connection types between unknown node types (S0-04). */
function checkEnds(types: readonly ConnectionType[], nodeTypes: readonly string[]): void {
  const unknown = [...new Set(types.flatMap((type) => [...type.from_types, ...type.to_types]))].filter((type) => !nodeTypes.includes(type));
  if (unknown.length === 0) return;
  throw new RouxError(
    'INVALID_ARGUMENT',
    `The connection types name unknown node types: ${joinNames(unknown)}. Known are ${joinNames(nodeTypes)}.`,
    { unknown },
  );
}

/** Creates `ontology.md`, of which there is at most one (S0-01 to S0-04). */
export async function createOntology(context: OperationContext, wanted: Ontology): Promise<Ontology> {
  const nodeTypes = [...new Set(wanted.node_types)];
  const connectionTypes = wanted.connection_types.map(toProperty);
  const names = wanted.connection_types.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  await context.vault.writes.write(writeMeta(context, 'create_ontology'), (graph) => {
    if (getOntology(context.vault).ontology !== null || graph.get(ONTOLOGY_PATH) !== null) {
      throw new RouxError(
        'ONTOLOGY_ALREADY_EXISTS',
        `The vault already has an ontology, ${ONTOLOGY_PATH}. Extend it with add_node_type and add_connection_type.`,
      );
    }
    if (duplicate !== undefined)
      throw new RouxError('INVALID_ARGUMENT', `The connection type "${duplicate}" is listed twice; list it once.`);
    checkEnds(wanted.connection_types, nodeTypes);
    const text = composeNote({
      properties: { type: 'ontology', node_types: nodeTypes, connection_types: connectionTypes },
      body: EXPLANATION,
    });
    return { files: [{ kind: 'create', path: ONTOLOGY_PATH, text }] };
  });
  return requireOntology(context);
}

/** Adds a node type (S0-06). */
export async function addNodeType(context: OperationContext, type: string): Promise<Ontology> {
  await context.vault.writes.write(writeMeta(context, 'add_node_type'), () => {
    const { node_types: types } = requireOntology(context);
    if (types.includes(type)) throw typeExists('node', type);
    warnOfCaseCollision(context, 'node', { name: type, among: types });
    return { files: [append('node_types', type)] };
  });
  return requireOntology(context);
}

/** Adds a connection type (S0-07). */
export async function addConnectionType(context: OperationContext, type: ConnectionType): Promise<Ontology> {
  await context.vault.writes.write(writeMeta(context, 'add_connection_type'), () => {
    const ontology = requireOntology(context);
    const names = ontology.connection_types.map(({ name }) => name);
    if (names.includes(type.name)) throw typeExists('connection', type.name);
    warnOfCaseCollision(context, 'connection', { name: type.name, among: names });
    checkEnds([type], ontology.node_types);
    return { files: [append('connection_types', toProperty(type))] };
  });
  return requireOntology(context);
}

/** Warns where a new type differs from one of the ontology only by case. */
export function warnOfCaseCollision(
  context: OperationContext,
  kind: string,
  { name, among }: { readonly name: string; readonly among: readonly string[] },
): void {
  const twin = among.find((each) => foldKey(each) === foldKey(name));
  if (twin !== undefined) context.warn(`The ontology also has the ${kind} type "${twin}". "${name}" is another one, as its case differs.`);
}

export function typeExists(kind: string, name: string): RouxError {
  return new RouxError('TYPE_ALREADY_EXISTS', `The ontology already has a ${kind} type "${name}".`, { type_name: name });
}

function append(key: string, value: Extract<NoteChange, { op: 'append' }>['value']): FileChange {
  const path = toNotePath(ONTOLOGY_PATH);
  if (path === null) throw new RouxError('IO_ERROR', `${ONTOLOGY_PATH} is not the path of a note.`);
  return { kind: 'change', path, changes: [{ op: 'append', key: [key], value }] };
}
