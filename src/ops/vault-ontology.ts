import { RouxError } from '../errors.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import { isRecord } from '../is-record.ts';
import type { Properties, PropertyValue } from '../note/note.ts';
import type { Vault } from '../vault/vault.ts';
import { nearestIn, nearestNames } from './names/near-names.ts';
import type { OperationContext } from './operation.ts';

/** The note that defines the ontology, at the root of the vault. */
export const ONTOLOGY_PATH = 'ontology.md';

/** Types that roux itself gives to notes; they are valid with any ontology. */
const BUILT_IN_TYPES: ReadonlySet<string> = new Set(['task', 'project', 'entity', 'episode', 'task-evidence', 'placeholder', 'ontology']);

export interface ConnectionType {
  readonly name: string;
  readonly from_types: readonly string[];
  readonly to_types: readonly string[];
  readonly required_properties?: readonly string[];
  /** An entity of the knowledge graph has one such fact at a time: a later one ends the previous one. */
  readonly single?: true;
}

/** Which types of notes exist and how they may be connected (S0-01). */
export interface Ontology {
  readonly node_types: readonly string[];
  readonly connection_types: readonly ConnectionType[];
}

/** The ontology in force, and the problem with its file when the file cannot be used. */
export interface OntologyState {
  readonly ontology: Ontology | null;
  readonly problem: string | null;
}

/** The last state, and the hash of the note that it was parsed from. */
interface OntologyCache {
  state: OntologyState | null;
  hash: string | null;
}

/** How to create a note with a type of the ontology, for messages. */
export const CREATE_TYPED_NOTE = 'A typed node is made with create_node {type, title}.';

const createOntologyCache = (): OntologyCache => ({ state: null, hash: null });

/** Returns the ontology of a vault, parsed again when its note changes. After a broken edit the last good one stays in force (S0-08). */
export function getOntology(vault: Vault): OntologyState {
  const entry = vault.graph.get(ONTOLOGY_PATH);
  const last = vault.derived(createOntologyCache);
  const hash = entry?.hash ?? null;
  if (last.state !== null && last.hash === hash) return last.state;
  const read = entry === null ? { ontology: null, problem: null } : parseOntology(entry);
  const ontology = read.problem === null ? read.ontology : (last.state?.ontology ?? null);
  last.state = { ontology, problem: read.problem };
  last.hash = hash;
  return last.state;
}

/**
 * Returns the ontology in force; throws `ONTOLOGY_NOT_FOUND` when there is none. Warns about a problem with its file. `type`: what the caller
 * wants to use, for the error's example.
 */
export function requireOntology(context: Pick<OperationContext, 'vault' | 'warn'>, type = 'Person'): Ontology {
  const { ontology, problem } = getOntology(context.vault);
  if (ontology === null) {
    const properties = JSON.stringify({ node_types: [type] });
    const remedy =
      problem === null
        ? `Create one with create_ontology (toolset "ontology"), or else with create_node {"title": "ontology", "directory": "", "properties": ${properties}}.`
        : `${problem} Correct it and repeat the call.`;
    throw new RouxError('ONTOLOGY_NOT_FOUND', `Ontology has not been created yet. ${remedy}`);
  }
  if (problem !== null) context.warn(`${problem} The last good ontology stays in force.`);
  return ontology;
}

/** Throws `INVALID_NODE_TYPE` for a type that the ontology does not define. Without an ontology every type is valid (docs/guide.md, Ontology). */
export function checkNodeType(context: Pick<OperationContext, 'vault' | 'warn'>, type: string): void {
  if (BUILT_IN_TYPES.has(type) || getOntology(context.vault).ontology === null) return;
  requireNodeType(requireOntology(context), type);
}

/** Checks whether a type is defined by an ontology or by roux itself. */
export function isKnownType(ontology: Ontology, type: string): boolean {
  return ontology.node_types.includes(type) || BUILT_IN_TYPES.has(type);
}

/** Checks whether nodes of this type belong to the task, memory or ontology tools, and not to people. */
export function isToolType({ vault }: Pick<OperationContext, 'vault'>, type: string | null): boolean {
  return type !== null && (BUILT_IN_TYPES.has(type) || isOntologyType({ vault }, type));
}

/** Checks whether a note has connections, by their block ids. */
export function hasConnections({ blocks }: Pick<NoteEntry, 'blocks'>): boolean {
  return blocks.some((block) => block.startsWith('c-'));
}

/** Checks whether the memory or ontology tools read sections of a note. */
export function hasToolSections({ vault }: Pick<OperationContext, 'vault'>, entry: NoteEntry): boolean {
  const isMemory = entry.path.startsWith(`${vault.settings.config.memory.root}/`) || entry.type === 'entity';
  return isMemory || hasConnections(entry) || (entry.type !== null && isOntologyType({ vault }, entry.type));
}

/** Checks whether the ontology in force defines this type. */
export function isOntologyType({ vault }: Pick<OperationContext, 'vault'>, type: string): boolean {
  return getOntology(vault).ontology?.node_types.includes(type) === true;
}

/** Throws `INVALID_NODE_TYPE` for a type that this ontology does not define. */
export function requireNodeType(ontology: Ontology, type: string): void {
  if (!isKnownType(ontology, type)) throw noNodeType(ontology, type);
}

/** Returns the error for a name that is none of the ontology's node types. */
export function noNodeType(ontology: Ontology, type: string): RouxError {
  const { text, details } = nearestIn(nearestNames(type, ontology.node_types));
  return new RouxError('INVALID_NODE_TYPE', `The ontology has no node type "${type}".${text} It has ${joinNames(ontology.node_types)}.`, {
    type,
    node_types: ontology.node_types,
    ...details,
  });
}

/**
 * Explains that a type is only the kind of entities of the memory tools, which is no type of the ontology. Returns null when no
 * entity has this kind.
 */
export function explainEntityKind(graph: GraphView, type: string): string | null {
  const found = graph.facets.byType('entity').find(({ properties }) => properties['kind'] === type);
  return found === undefined
    ? null
    : `"${type}" is the kind of the entity "${found.title}" and others of the memory tools, whose type is entity. ${CREATE_TYPED_NOTE}`;
}

/** Joins names for a message; `none` when there are none. */
export function joinNames(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function parseOntology(entry: NoteEntry): OntologyState {
  const broken = entry.problems.find((problem) => problem.code.startsWith('frontmatter-'));
  if (broken !== undefined) return { ontology: null, problem: `${ONTOLOGY_PATH} cannot be read: ${broken.message}` };
  const nodeTypes = parseNames(entry.properties['node_types']);
  const connections = entry.properties['connection_types'] ?? [];
  if (nodeTypes === null || nodeTypes.length === 0)
    return { ontology: null, problem: `${ONTOLOGY_PATH} needs "node_types", a list of names, at the top level of its frontmatter.` };
  if (!Array.isArray(connections)) return { ontology: null, problem: `${ONTOLOGY_PATH}: "connection_types" must be a list.` };
  const connectionTypes: ConnectionType[] = [];
  for (const [index, value] of (connections as readonly PropertyValue[]).entries()) {
    const read = parseConnectionType(value);
    if (read === null) {
      return { ontology: null, problem: `${ONTOLOGY_PATH}: connection_types[${index}] needs "name", "from_types" and "to_types".` };
    }
    const unknown = [...read.from_types, ...read.to_types].filter((type) => !nodeTypes.includes(type));
    if (unknown.length > 0) {
      return { ontology: null, problem: `${ONTOLOGY_PATH}: connection_types[${index}] names the unknown types ${joinNames(unknown)}.` };
    }
    connectionTypes.push(read);
  }
  return { ontology: { node_types: nodeTypes, connection_types: connectionTypes }, problem: null };
}

function parseConnectionType(value: PropertyValue): ConnectionType | null {
  if (!isRecord(value)) return null;
  const fields = value as Properties;
  const name = fields['name'];
  const from = parseNames(fields['from_types']);
  const to = parseNames(fields['to_types']);
  const required = fields['required_properties'] === undefined ? [] : parseNames(fields['required_properties']);
  if (typeof name !== 'string' || name === '' || from === null || to === null || required === null) return null;
  if (from.length === 0 || to.length === 0) return null;
  return {
    name,
    from_types: from,
    to_types: to,
    ...(required.length === 0 ? {} : { required_properties: required }),
    ...(fields['single'] === true ? { single: true as const } : {}),
  };
}

function parseNames(value: PropertyValue | undefined): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const names = value as readonly PropertyValue[];
  return names.every((name): name is string => typeof name === 'string' && name !== '') ? [...new Set(names)] : null;
}
