import { withServer } from './program/mcp-server.ts';
import type { McpSession } from './program/mcp-client.ts';
import { withVault } from './vault.ts';
import type { VaultSource } from './vault.ts';

/** What a query answers. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

/** Runs with a function that asks `list_nodes` of a vault, and fails when it is refused. */
export function withQueries<T>(
  source: VaultSource,
  run: (list: (args: Record<string, unknown>) => Promise<Answer>, session: McpSession) => Promise<T>,
): Promise<T> {
  return withVault(source, (vault) =>
    withServer(vault, (session) =>
      run(async (args) => {
        const { isError, texts, value } = await session.call('list_nodes', args);
        if (isError) throw new Error(texts[0]);
        return value;
      }, session),
    ),
  );
}

/** The values of expressions on one note. */
export async function evaluate(
  list: (args: Record<string, unknown>) => Promise<Answer>,
  expressions: readonly string[],
  { on, context }: { readonly on: string; readonly context?: string },
): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for (const expression of expressions) {
    const { nodes } = await list({
      where: `file.path == ${JSON.stringify(on)}`,
      fields: [expression],
      ...(context === undefined ? {} : { context }),
    });
    values.push(Object.values(nodes[0].fields)[0]);
  }
  return values;
}

/** The ids of the notes that a query finds. */
export function idsOf({ nodes }: Answer): readonly string[] {
  return nodes.map(({ id }: { readonly id: string }) => id);
}
