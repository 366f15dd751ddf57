import type { McpSession, McpOptions } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

/** A session with the task tools on a vault. */
export interface TaskSession extends McpSession {
  readonly vault: TestVault;
  /** Calls a tool that has to fail and gives what its error holds: code, message, details. */
  readonly refuse: McpSession['refuse'];
  /** Plans nodes and gives their ids by ref. */
  readonly plan: (nodes: readonly Record<string, unknown>[]) => Promise<Record<string, string>>;
  /** The whole node. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly node: (id: string) => Promise<any>;
  /** Summaries of what can be worked on, best first. */
  readonly ready: (project?: string) => Promise<readonly string[]>;
  readonly resolve: (...ids: string[]) => Promise<readonly string[]>;
}

/** Adds what tests of tasks repeat to a session. */
export function toTaskSession(session: McpSession, vault: TestVault): TaskSession {
  return {
    ...session,
    vault,
    refuse: async (tool, args) => (await session.refuse(tool, args)).error,
    async plan(nodes) {
      const { created } = await session.ask('graph_plan', { nodes });
      return Object.fromEntries(created.map(({ ref, id }: { ref: string; id: string }) => [ref, id]));
    },
    node: async (id) => (await session.ask('graph_context', { node_id: id, depth: 0 })).node,
    async ready(project) {
      const { nodes } = await session.ask('graph_next', { count: 100, ...(project === undefined ? {} : { project }) });
      return nodes.map(({ node }: { node: { summary: string } }) => node.summary);
    },
    async resolve(...ids) {
      const updates = ids.map((node_id) => ({ node_id, resolved: true, add_evidence: [{ type: 'note', ref: 'done' }] }));
      const { newly_actionable = [] } = await session.ask('graph_update', { updates });
      return newly_actionable.map(({ summary }: { summary: string }) => summary);
    },
  };
}

/** Runs with a server on a fresh vault that has one project, `shed`. */
export async function withTasks(
  run: (session: TaskSession) => Promise<void>,
  { files = {}, config, open = true, ...options }: McpOptions & { files?: Record<string, string>; config?: object; open?: boolean } = {},
): Promise<void> {
  const all = { ...files, ...(config === undefined ? {} : { '.rouxrc.json': JSON.stringify(config) }) };
  await withVault(all, (vault) =>
    withServer(
      vault,
      async (session) => {
        if (open) await session.ask('graph_open', { project: 'shed', goal: 'A blue shed' });
        await run(toTaskSession(session, vault));
      },
      { clientName: 'ada', ...options },
    ),
  );
}

/** The frontmatter and body of a task that a person writes. */
export function handMade(lines: readonly string[], body = ''): string {
  return `---\n${lines.join('\n')}\n---\n${body}`;
}
