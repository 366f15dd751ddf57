import { readdirSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { openMcp, toSession } from '../../../support/program/mcp-client.ts';
import type { McpOptions, McpProcess, McpSession } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';
import type { TestVault } from '../../../support/vault.ts';
import { toTaskSession } from '../task-session.ts';

/** Windows of one client: every one has a server process of its own, and all have one name. */
export interface Windows {
  readonly vault: TestVault;
  /** Ids of the planned tasks, by their summaries. */
  readonly ids: Readonly<Record<string, string>>;
  /** Of another name. */
  readonly planner: McpProcess;
  readonly open: (options?: McpOptions) => Promise<McpProcess>;
  /** Summaries of the tasks that a session is given. */
  readonly next: (session: Pick<McpSession, 'ask'>, args?: Record<string, unknown>) => Promise<readonly string[]>;
}

/** Runs on a fresh vault whose project `shed` has these tasks; the windows are closed afterwards. */
export async function withWindows(
  tasks: readonly string[],
  run: (windows: Windows) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  await withVault(files, async (vault) => {
    const opened: McpProcess[] = [];
    const open: Windows['open'] = async (options = {}) => {
      const window = await openMcp(vault, { clientName: 'code', ...options });
      opened.push(window);
      return window;
    };
    const planner = await open({ clientName: 'planner' });
    try {
      await planner.ask('graph_open', { project: 'shed' });
      const ids = await toTaskSession(planner, vault).plan(tasks.map((summary) => ({ ref: summary, summary })));
      const next: Windows['next'] = async (session, args = {}) =>
        ((await session.ask('graph_next', args)).nodes as { node: { summary: string } }[]).map(({ node }) => node.summary);
      await run({ vault, ids, planner, open, next });
    } finally {
      await Promise.all(opened.map((window) => window.close()));
    }
  });
}

/** Opens a window over HTTP, which has no process of its own. */
export async function openOverHttp(url: string) {
  const client = new Client({ name: 'code', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`));
  await client.connect(transport as Transport);
  return { ...toSession(client), transport };
}

/** Returns the text of the history. */
export function historyOf(vault: TestVault): string {
  return readdirSync(vault.path('.roux/history'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => vault.read(`.roux/history/${name}`))
    .join('');
}
