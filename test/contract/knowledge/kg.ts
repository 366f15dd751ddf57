import { expect } from 'vitest';
import type { McpSession } from '../../support/program/mcp-client.ts';

/** An answer of the knowledge graph. */
// eslint-disable-next-line -- answers are read as clients read them
export type Envelope = { request_id: string; status: string; output?: any; error?: { error_code: string; message: string; details?: any } };

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
): Promise<any> {
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
