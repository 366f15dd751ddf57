import { configSchema } from '../../../src/config.ts';
import { limitVault } from '../../../src/ops/call/access.ts';
import { invoke } from '../../../src/ops/call/invoke.ts';
import type { OperationContext } from '../../../src/ops/operation.ts';
import type { Operation } from '../../../src/ops/operation.ts';
import { taskToolset } from '../../../src/ops/tasks/operations.ts';
import type { Ports } from '../../../src/ports.ts';
import { openReady } from '../../support/open.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';

/** The task tools on a vault in this process, with a clock that the test sets. */
export interface TaskBench {
  readonly clock: { now: number };
  // Answers have as many shapes as there are tools; tests know them.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly ask: (tool: string, args?: Record<string, unknown>, agent?: string, connection?: string) => Promise<any>;
  readonly warnings: readonly string[];
}

/** Runs with a fresh project `shed` and a clock that stands still. */
export async function withTaskBench(
  run: (bench: TaskBench) => Promise<void>,
  settings: object = {},
  ports: Partial<Ports> = {},
): Promise<void> {
  await withVault({}, async ({ root }) => {
    const clock = { now: Date.parse('2026-03-01T12:00:00.000Z') };
    const config = configSchema.parse(settings);
    const opened = await openReady(root, {
      config,
      isFollowing: false,
      ports: { ...testPorts(), ...ports, clock: { now: () => clock.now } },
    });
    const vault = await limitVault(opened, { isReadOnly: config.readOnly, access: undefined, writeFolders: null });
    const warnings: string[] = [];
    const contextOf = (agent: string, connection?: string): OperationContext => ({
      ...(connection === undefined ? {} : { connection }),
      vault,
      config,
      agent,
      actor: `${agent}/1.0`,
      session: agent,
      writeOptions: {},
      signal: new AbortController().signal,
      progress: () => undefined,
      warn: (message) => void warnings.push(message),
      readLog: null,
      include: () => undefined,
      takeWarnings: () => [],
      toolsets: async () => [],
    });
    const ask: TaskBench['ask'] = async (tool, args = {}, agent = 'ada', connection) => {
      const operation = (taskToolset.operations as readonly Operation[]).find(({ name }) => name === tool);
      if (operation === undefined) throw new Error(`there is no tool ${tool}`);
      return JSON.parse(JSON.stringify(await invoke(operation, args, contextOf(agent, connection)))) as unknown;
    };
    try {
      await ask('graph_open', { project: 'shed' });
      await run({ clock, ask, warnings });
    } finally {
      await vault.close();
    }
  });
}
