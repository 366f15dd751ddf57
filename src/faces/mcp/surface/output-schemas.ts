import type { Operation } from '../../../ops/operation.ts';

/** A JSON schema. No key is required and others may come along, so that no answer fails for a part that it leaves out or has besides. */
type Schema = Readonly<Record<string, unknown>>;
type Keys = Readonly<Record<string, Schema>>;

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer' };
const number: Schema = { type: 'number' };
const flag: Schema = { type: 'boolean' };
const map: Schema = { type: 'object' };
const orNull = ({ type, ...rest }: Schema): Schema => ({ type: [type, 'null'], ...rest });
const keys = (properties: Keys): Schema => ({ type: 'object', properties });
const list = (items: Schema): Schema => ({ type: 'array', items });
const texts = list(text);

/** The key of an answer that is no object (`toStructured`). */
const asResult = (schema: Schema): Keys => ({ result: schema });
const NULL: Schema = { type: 'null', description: 'There is none' };

const NAME: Keys = { id: text, title: text };
const DIRECTION: Schema = { enum: ['in', 'out', 'both'] };
const NOTE: Keys = {
  ...NAME,
  path: orNull(text),
  type: orNull(text),
  content: orNull(text),
  tags: texts,
  links: list(keys({ ...NAME, type: text })),
  properties: map,
  aliases: texts,
  etag: text,
  created: text,
  updated: text,
  connections: list(keys({ connection_id: text, type: text, direction: DIRECTION, ...NAME })),
};
const LISTED: Keys = { ...NOTE, direction: DIRECTION, applies_to: texts, score: number, heading: text, line: integer };
const NODE: Keys = { ...NOTE, rev: orNull(integer), created_by: text, next_offset: integer };
const WRITTEN: Keys = {
  ...NODE,
  changed: text,
  skipped: flag,
  rewritten: texts,
  rewritten_omitted: integer,
  links_rewritten_in: integer,
  batch: text,
};
const NODES = asResult(list(keys(LISTED)));

const TASK: Keys = { id: text, summary: text };
const WHOLE_TASK: Keys = {
  ...TASK,
  rev: integer,
  parent: text,
  resolved: flag,
  blocked: flag,
  blocked_reason: text,
  properties: map,
  context_links: texts,
  evidence: list(keys({ type: text, ref: text, agent: text, timestamp: text })),
  created_at: text,
  updated_at: text,
  created_by: text,
};
const COUNTS = keys({ total: integer, resolved: integer, unresolved: integer, blocked: integer, actionable: integer });
const ACTIONABLE: Keys = { newly_actionable: list(keys(TASK)) };
const PROJECTS: Keys = { projects: list(keys({ id: text, project: text, summary: text })), hint: text };

const ENTITIES = list(keys({ name: text, entityType: text, observations: texts }));
const RELATIONS = list(keys({ from: text, to: text, relationType: text }));
const MEMORY: Keys = { entities: ENTITIES, relations: RELATIONS };
const FORGOTTEN: Keys = { success: flag, message: text };

const TYPES: Keys = {
  node_types: texts,
  connection_types: list(keys({ name: text, from_types: texts, to_types: texts, required_properties: texts })),
};
const CONNECTION: Keys = {
  id: text,
  type: text,
  from_node_id: text,
  to_node_id: orNull(text),
  created: text,
  modified: text,
  properties: map,
  has_content: flag,
  content: text,
  format: text,
};
const NODE_IDS: Keys = { node_ids: texts, nodes: list(keys(LISTED)), next_offset: integer };

const FACT: Keys = {
  uuid: text,
  name: text,
  fact: text,
  created_at: text,
  source_node_uuid: text,
  target_node_uuid: text,
  source_node_name: text,
  target_node_name: text,
  episodes: texts,
};
const RECEIPT: Keys = { receipt_id: text, accepted: integer, read: map };
const DONE: Keys = { message: text, success: flag };

/** What each tool answers with; of the knowledge graph, the `output` in its envelope. */
const ANSWERS: Readonly<Record<string, Keys>> = {
  confirm: { by: text, at: text, confirmed: list(map), batch: orNull(text) },
  create_node: WRITTEN,
  delete_node: { deleted: flag, batch: text },
  ensure_singleton_node: { node_id: text, created: flag },
  find_path: { path: texts, length: integer, ...asResult(NULL) },
  get_hubs: asResult(list(keys({ ...NAME, score: number, ghost: flag }))),
  get_neighbors: NODES,
  get_node: {
    ...NODE,
    neighbors: list(keys(LISTED)),
    incomingCount: integer,
    outgoingCount: integer,
    outline: list(keys({ heading: text, level: integer, line: integer, characters: integer })),
    as_of: keys({ source: text, time: text, commit: text, path: text }),
    in: list({}),
    in_omitted: integer,
    ...asResult(NULL),
  },
  get_nodes: { nodes: list(orNull(keys(NODE))), left: texts },
  list_nodes: {
    nodes: list(keys(NAME)),
    total: integer,
    groups: list(map),
    groups_total: integer,
    next_groups_offset: integer,
    next_offset: integer,
  },
  merge_nodes: { id: text, path: text, merged: texts, links_rewritten_in: integer, batch: orNull(text) },
  random_node: { ...NODE, ...asResult(NULL) },
  rename: { renamed: list(keys({ from: text, to: text, files: integer })), links_rewritten_in: integer, batch: orNull(text) },
  search: NODES,
  search_by_tags: NODES,
  update_node: WRITTEN,
  update_nodes: { changed: integer, unchanged: integer, notes: texts, links_rewritten_in: integer, batch: orNull(text) },
  vault_health: {
    notes: integer,
    since: orNull(text),
    touched: list(keys({ path: text, files: texts })),
    counts: map,
    findings: list(keys({ kind: text, paths: texts, message: text })),
    next_offset: integer,
  },
  vault_overview: {
    name: text,
    version: text,
    notes: integer,
    attachments: integer,
    new_notes_go_to: text,
    folders: list(keys({ path: text, notes: integer })),
    types: list(keys({ type: text, count: integer })),
    tags: list(keys({ tag: text, count: integer })),
    properties: list(keys({ name: text, count: integer })),
    hubs: list(keys({ ...NAME, links: integer })),
    newest: list(keys({ ...NAME, modified: text })),
    attention: map,
    tasks: keys({ projects: integer, open: integer, ready: integer }),
    warnings: texts,
  },

  graph_connect: { applied: integer, rejected: list(keys({ from: text, to: text, reason: text })), ...ACTIONABLE },
  graph_context: {
    node: keys(WHOLE_TASK),
    ancestors: list(keys(TASK)),
    children: keys(TASK),
    depends_on: list(map),
    depended_by: list(map),
  },
  graph_handoff: { node_id: text, rev: integer },
  graph_history: {
    events: list(keys({ timestamp: text, agent: text, action: text, node_id: text, summary: text, merged_into: text, changes: list(map) })),
    claims: list(keys({ timestamp: text, agent: text, action: text, node_id: text, summary: text, changes: list(map) })),
    next_cursor: text,
  },
  graph_next: { nodes: list(keys({ node: keys(WHOLE_TASK), ancestors: list(keys(TASK)) })), hint: text, your_claims: list(keys(TASK)) },
  graph_onboard: {
    project: text,
    goal: text,
    ...PROJECTS,
    summary: COUNTS,
    handoffs: list(keys(TASK)),
    recommended_next: keys(TASK),
    actionable: list(keys(TASK)),
    tree: list(keys(TASK)),
    recent_evidence: list(map),
    context_links: texts,
  },
  graph_open: { project: text, root: keys(WHOLE_TASK), summary: COUNTS, ...PROJECTS },
  graph_plan: { created: list(keys({ ref: text, id: text })), potential_duplicates: list(map), next_cursor: text, hint: text },
  graph_query: {
    nodes: list(keys({ ...TASK, resolved: flag, depth: integer })),
    branches: list(keys({ branch: text, ...TASK, resolved: flag })),
    total: integer,
    next_cursor: text,
  },
  graph_restructure: { applied: integer, details: list(keys({ op: text, node_id: text, result: text })), ...ACTIONABLE },
  graph_update: { updated: list(keys({ node_id: text, rev: integer })), ...ACTIONABLE },

  add_observations: { results: list(keys({ entityName: text, addedObservations: texts })) },
  create_entities: { entities: ENTITIES },
  create_relations: { relations: RELATIONS },
  delete_entities: FORGOTTEN,
  delete_observations: FORGOTTEN,
  delete_relations: FORGOTTEN,
  open_nodes: MEMORY,
  read_graph: MEMORY,
  search_nodes: MEMORY,

  add_connection_type: TYPES,
  add_node_type: TYPES,
  create_connection: { connection_id: text },
  create_ontology: TYPES,
  delete_connection: { success: flag },
  get_connected_nodes: NODE_IDS,
  get_connection: CONNECTION,
  get_node_content: { content: text, next_offset: integer },
  get_ontology: TYPES,
  query_connections: { connection_ids: texts, connections: list(keys(CONNECTION)), nodes: list(keys(NAME)), next_offset: integer },
  query_nodes: NODE_IDS,
  remove_type: TYPES,
  rename_type: TYPES,
  search_content: NODE_IDS,
  update_connection: { success: flag },
  validate_connection: { valid: flag },

  kg_add_entity_node: { uuid: text, group_id: text, name: text, summary: text, created_at: text },
  kg_add_episodes: RECEIPT,
  kg_add_messages: { message: text, ...RECEIPT },
  kg_clear_all: { ...DONE, deleted: map },
  kg_delete_entity_edge: DONE,
  kg_delete_episode: DONE,
  kg_delete_group: { ...DONE, deleted: map },
  kg_get_entity_edge: FACT,
  kg_get_episodes: { episodes: list(map) },
  kg_get_memory: { facts: list(keys(FACT)) },
  kg_get_receipt: { items: list(map), counts: map },
  kg_healthcheck: { status: text, metrics: map, counts: map },
  kg_retry_parked: { message: text, retried: integer },
  kg_search_facts: { facts: list(keys(FACT)) },
};

/** Describes the `structuredContent` of a tool. */
export function outputSchema({ name, effect, envelope, parts }: Operation): { readonly type: 'object' } & Schema {
  const answer = ANSWERS[name] ?? {};
  const dryRun: Keys = effect === 'read' ? {} : { dry_run: flag, diff: text };
  const beside = Object.fromEntries(Object.keys(parts ?? {}).map((part) => [part, {}]));
  const properties =
    envelope === undefined ? { ...answer, ...dryRun, ...beside } : { request_id: text, status: text, output: keys(answer) };
  return { type: 'object', properties: { ...properties, _warnings: texts } };
}
