import { expect } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';

/** JSON whose shape the tests know. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

/** An answer of the knowledge graph. */
export type Envelope = {
  request_id: string;
  status: string;
  output?: Json;
  error?: { error_code: string; message: string; details?: Json };
};

/** Calls one operation; whatever it answers, as its envelope. */
export async function ask(
  { call }: Pick<McpSession, 'call'>,
  tool: string,
  input: unknown,
  more: Record<string, unknown> = {},
): Promise<Envelope> {
  const { value } = await call(`kg_${tool}`, { input, ...more });
  return value as Envelope;
}

/** Calls one operation that has to succeed; its output. */
export async function ok(
  session: Pick<McpSession, 'call'>,
  tool: string,
  input: unknown,
  more: Record<string, unknown> = {},
): Promise<Json> {
  const answer = await ask(session, tool, input, more);
  expect(answer.error, `${tool} ${JSON.stringify(answer.error)}`).toBeUndefined();
  return answer.output;
}

/** Calls one operation that has to fail; the code of its error. */
export async function refused(
  session: Pick<McpSession, 'call'>,
  tool: string,
  input: unknown,
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await ask(session, tool, input, more);
  expect(answer.status, JSON.stringify(answer)).toBe('ERROR');
  return answer.error?.error_code ?? '';
}

/** Adds episodes and waits until each is completed or parked; the state of each, and the receipt. */
export async function ingest(
  session: Pick<McpSession, 'call'>,
  group: string,
  items: readonly unknown[],
): Promise<{ receipt: string; states: string[] }> {
  const { receipt_id: receipt } = await ok(session, 'add_episodes', { group_id: group, items });
  const states = await waitFor(async () => {
    const { items: found } = await ok(session, 'get_receipt', { receipt_id: receipt });
    const all = found.map((item: Json) => item.state);
    return all.every((state: string) => ['completed', 'parked'].includes(state)) ? all : null;
  });
  return { receipt, states };
}

/** Searches one group; the facts that were found. */
export async function find(
  session: Pick<McpSession, 'call'>,
  group: string,
  query: string,
  more: Record<string, unknown> = {},
): Promise<Json[]> {
  return (await ok(session, 'search_facts', { group_ids: [group], query, ...more })).facts;
}
