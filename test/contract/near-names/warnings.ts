import type { ToolAnswer } from '../../support/program/mcp-client.ts';

/** The warnings beside an answer. */
export function warningsOf({ texts }: Pick<ToolAnswer, 'texts'>): readonly string[] {
  return texts.slice(1).flatMap((text) => (JSON.parse(text) as { _warnings?: readonly string[] })._warnings ?? []);
}

/** Asks an operation over HTTP and gives the whole answer. */
export async function post(url: string, operation: string, args: Record<string, unknown>): Promise<unknown> {
  const answer = await fetch(`${url}/api/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(args),
  });
  return answer.json();
}
