import type { AgentTools } from './agents.ts';
import type { Outcome } from './servers.ts';

/** The project that all agents work on. */
export const project = 'soak';
/** Entities that all agents describe. */
export const sharedEntities = ['Alice', 'Bob', 'Tea', 'cmd#npm test#1a2b3c4d', 'https://example.org/a|b'] as const;
/** Nodes that all agents connect. */
export const things = ['Thing one', 'Thing two'] as const;

/** Work with the tools of memory, tasks and ontology. */
export function graphWork({ server, ledger, random }: AgentTools): () => Promise<void> {
  const observed: { readonly entity: string; readonly text: string }[] = [];

  const call = async (tool: string, args: Record<string, unknown>): Promise<Outcome> => {
    const outcome = await server.call(tool, args);
    ledger.count(outcome.kind === 'refused' ? `${tool} ${outcome.code}` : outcome.kind === 'unknown' ? `${tool} unknown` : tool);
    return outcome;
  };
  const isDone = async (tool: string, args: Record<string, unknown>): Promise<boolean> => (await call(tool, args)).kind === 'answered';

  const ensureEntities = async (): Promise<void> => {
    const entities = sharedEntities.map((name) => ({ name, entityType: 'shared', observations: [] }));
    if (await isDone('create_entities', { entities })) for (const { name } of entities) ledger.entities.add(name);
  };
  const observe = async (): Promise<void> => {
    const entity = random.pick(sharedEntities);
    const text = random.chance(0.5) ? ledger.mark('seen') : JSON.stringify({ type: 'note', seen: ledger.mark('seen') });
    if (!(await isDone('add_observations', { observations: [{ entityName: entity, contents: [text] }] }))) return;
    ledger.observations.add(`${entity}: ${text}`);
    observed.push({ entity, text });
  };
  const forget = async (): Promise<void> => {
    const [gone] = observed.splice(0, 1);
    if (gone === undefined) return;
    const key = `${gone.entity}: ${gone.text}`;
    ledger.observations.delete(key);
    const deletions = [{ entityName: gone.entity, observations: [gone.text] }];
    if (await isDone('delete_observations', { deletions })) ledger.removedObservations.add(key);
  };
  const relate = async (): Promise<void> => {
    const relationType = ledger.mark('relation').toUpperCase();
    const relations = [{ from: random.pick(sharedEntities), to: random.pick(sharedEntities), relationType }];
    if (await isDone('create_relations', { relations })) ledger.relations.add(relationType);
  };
  const passBy = async (): Promise<void> => {
    const name = `Guest ${ledger.mark('guest')}`;
    if (!(await isDone('create_entities', { entities: [{ name, entityType: 'guest', observations: ['came by'] }] }))) return;
    if (random.chance(0.5)) ledger.entities.add(name);
    else if (await isDone('delete_entities', { entityNames: [name] })) ledger.removedEntities.add(name);
  };

  const plan = async (): Promise<void> => {
    const summaries = [ledger.mark('task'), ledger.mark('task')];
    const nodes = summaries.map((summary, index) => ({ ref: `r${index}`, summary, ...(index === 0 ? {} : { depends_on: ['r0'] }) }));
    if (await isDone('graph_plan', { project, nodes })) for (const summary of summaries) ledger.tasks.add(summary);
  };
  const work = async (): Promise<void> => {
    const next = await call('graph_next', { project, claim: true });
    if (next.kind !== 'answered') return;
    const id = next.value.nodes[0]?.node.id as string | undefined;
    if (id === undefined) return plan();
    const holders = ledger.claims.get(id) ?? new Set<string>();
    ledger.claims.set(id, holders.add(server.agent));
    const ref = ledger.mark('evidence');
    const updates = [{ node_id: id, resolved: true, add_evidence: [{ type: 'note', ref }] }];
    if (await isDone('graph_update', { updates })) ledger.evidence.set(ref, id);
  };

  const connect = async (): Promise<void> => {
    const [from_node_id, to_node_id] = things;
    const made = await call('create_connection', { type: 'near', from_node_id, to_node_id, properties: { mark: ledger.mark('near') } });
    if (made.kind === 'answered') ledger.connections.add(String(made.value.connection_id));
  };
  const singleton = async (): Promise<void> => {
    const made = await call('ensure_singleton_node', { type: 'log', content: '', encoding: 'utf-8', format: 'text' });
    if (made.kind === 'answered') ledger.singletons.add(String(made.value.node_id));
  };

  return async () => {
    if (ledger.entities.size === 0) return ensureEntities();
    return random.pick([ensureEntities, observe, observe, observe, forget, relate, passBy, plan, work, work, connect, singleton])();
  };
}
