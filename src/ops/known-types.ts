import { RouxError } from '../errors.ts';
import type { GraphView, NoteEntry } from '../graph/view.ts';
import { isRecord } from '../is-record.ts';
import type { Properties, PropertyValue } from '../note/note.ts';
import type { Vault } from '../vault/vault.ts';
import type { OperationContext } from './operation.ts';

/** The note that holds the ontology: a note like any other, at the root of the vault. */
export const ONTOLOGY_PATH = 'ontology.md';

/** Types that roux itself gives to notes; they need no ontology. */
const OWN_TYPES: ReadonlySet<string> = new Set(['task', 'project', 'entity', 'episode', 'task-evidence', 'placeholder', 'ontology']);

export interface ConnectionType {
  readonly name: string;
  readonly from_types: readonly string[];
  readonly to_types: readonly string[];
  readonly required_properties?: readonly string[];
  /** An entity of the knowledge graph has one such fact at a time: a later one ends the one before. */
  readonly single?: true;
}

/** What kinds of notes there are and how they may be connected (S0-01). */
export interface Ontology {
  readonly node_types: readonly string[];
  readonly connection_types: readonly ConnectionType[];
}

/** The ontology in force, and what is wrong with the file when that is not what the file says. */
export interface OntologyState {
  readonly ontology: Ontology | null;
  readonly problem: string | null;
}

/** The last state that was read, and the hash of the note that it was read from. */
interface LastRead {
  state: OntologyState | null;
  hash: string | null;
}

const openLastRead = (): LastRead => ({ state: null, hash: null });

/** The ontology of a vault, read again when its note changed. A broken edit keeps the last good one in force (S0-08). */
export function ontologyOf(vault: Vault): OntologyState {
  const entry = vault.graph.get(ONTOLOGY_PATH);
  const last = vault.derived(openLastRead);
  const hash = entry?.hash ?? null;
  if (last.state !== null && last.hash === hash) return last.state;
  const read = entry === null ? { ontology: null, problem: null } : readOntology(entry);
  const ontology = read.problem === null ? read.ontology : (last.state?.ontology ?? null);
  last.state = { ontology, problem: read.problem };
  last.hash = hash;
  return last.state;
}

/** The ontology in force; without one `ONTOLOGY_NOT_FOUND`. What is wrong with the file becomes a warning. */
export function requireOntology(context: Pick<OperationContext, 'vault' | 'warn'>): Ontology {
  const { ontology, problem } = ontologyOf(context.vault);
  if (ontology === null) {
    const remedy = problem === null ? 'Make one with create_ontology.' : `${problem} Correct it and repeat the call.`;
    throw new RouxError('ONTOLOGY_NOT_FOUND', `Ontology has not been created yet. ${remedy}`);
  }
  if (problem !== null) context.warn(`${problem} The last good ontology stays in force.`);
  return ontology;
}

/** Refuses a type that the ontology does not know. Without an ontology every type is free (docs/guide.md, Ontology). */
export function checkNodeType(context: Pick<OperationContext, 'vault' | 'warn'>, type: string): void {
  if (OWN_TYPES.has(type) || ontologyOf(context.vault).ontology === null) return;
  requireNodeType(requireOntology(context), type);
}

/** Whether an ontology defines a type, or roux itself does. */
export function isKnownType(ontology: Ontology, type: string): boolean {
  return ontology.node_types.includes(type) || OWN_TYPES.has(type);
}

/** Whether nodes of this type are made by the task, memory or ontology tools; people's own types are none of theirs. */
export function isTypeOfTools({ vault }: Pick<OperationContext, 'vault'>, type: string | null): boolean {
  return type !== null && (OWN_TYPES.has(type) || isOntologyType({ vault }, type));
}

/** Whether a note holds connections: their block ids say so. */
export function holdsConnections({ blocks }: Pick<NoteEntry, 'blocks'>): boolean {
  return blocks.some((block) => block.startsWith('c-'));
}

/** Whether the memory or ontology tools look for their sections in a note. */
export function hasToolSections({ vault }: Pick<OperationContext, 'vault'>, entry: NoteEntry): boolean {
  const isMemory = entry.path.startsWith(`${vault.config.memory.root}/`) || entry.type === 'entity';
  return isMemory || holdsConnections(entry) || (entry.type !== null && isOntologyType({ vault }, entry.type));
}

/** Whether the ontology in force defines this type. */
export function isOntologyType({ vault }: Pick<OperationContext, 'vault'>, type: string): boolean {
  return ontologyOf(vault).ontology?.node_types.includes(type) === true;
}

/** Refuses a type that this ontology does not define. */
export function requireNodeType(ontology: Ontology, type: string): void {
  if (isKnownType(ontology, type)) return;
  throw new RouxError('INVALID_NODE_TYPE', `The ontology has no node type "${type}". It has ${listed(ontology.node_types)}.`, {
    type,
    node_types: ontology.node_types,
  });
}

/**
 * What to say where a type was wanted that only entities of the memory tools have, as their kind; null where none has. The kind of an
 * entity is no type of the ontology.
 */
export function aboutKind(graph: GraphView, type: string): string | null {
  const found = graph.byType('entity').find(({ properties }) => properties['kind'] === type);
  return found === undefined
    ? null
    : `"${type}" is the kind of the entity "${found.title}" and others of the memory tools, whose type is entity. ${MAKE_TYPED}`;
}

/** How a note comes to have a type of the ontology. */
export const MAKE_TYPED = 'A typed node is made with create_node {type, title}.';

/** Names in a row, for messages. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function readOntology(entry: NoteEntry): OntologyState {
  const broken = entry.problems.find((problem) => problem.code.startsWith('frontmatter-'));
  if (broken !== undefined) return { ontology: null, problem: `${ONTOLOGY_PATH} cannot be read: ${broken.message}` };
  const nodeTypes = readNames(entry.properties['node_types']);
  const connections = entry.properties['connection_types'] ?? [];
  if (nodeTypes === null || nodeTypes.length === 0)
    return { ontology: null, problem: `${ONTOLOGY_PATH} needs "node_types", a list of names.` };
  if (!Array.isArray(connections)) return { ontology: null, problem: `${ONTOLOGY_PATH}: "connection_types" must be a list.` };
  const connectionTypes: ConnectionType[] = [];
  for (const [index, value] of (connections as readonly PropertyValue[]).entries()) {
    const read = readConnectionType(value);
    if (read === null) {
      return { ontology: null, problem: `${ONTOLOGY_PATH}: connection_types[${index}] needs "name", "from_types" and "to_types".` };
    }
    const unknown = [...read.from_types, ...read.to_types].filter((type) => !nodeTypes.includes(type));
    if (unknown.length > 0) {
      return { ontology: null, problem: `${ONTOLOGY_PATH}: connection_types[${index}] names the unknown types ${listed(unknown)}.` };
    }
    connectionTypes.push(read);
  }
  return { ontology: { node_types: nodeTypes, connection_types: connectionTypes }, problem: null };
}

function readConnectionType(value: PropertyValue): ConnectionType | null {
  if (!isRecord(value)) return null;
  const fields = value as Properties;
  const name = fields['name'];
  const from = readNames(fields['from_types']);
  const to = readNames(fields['to_types']);
  const required = fields['required_properties'] === undefined ? [] : readNames(fields['required_properties']);
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

function readNames(value: PropertyValue | undefined): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const names = value as readonly PropertyValue[];
  return names.every((name): name is string => typeof name === 'string' && name !== '') ? [...new Set(names)] : null;
}
