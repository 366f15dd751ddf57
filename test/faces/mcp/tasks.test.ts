import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, CreateTaskResultSchema, TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { program, testEnvironment } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { engineOf } from '../../support/program/mcp-client.ts';

async function withTasks(vault: TestVault, run: (client: Client, pid: number) => Promise<void>, capabilities: object = { tasks: {} }) {
  const client = new Client({ name: 'tasks', version: '1' }, { capabilities });
  const args = [program, 'mcp', vault.root, '--toolsets', 'all'];
  const transport = new StdioClientTransport({ command: process.execPath, args, env: testEnvironment(), stderr: 'ignore' });
  await client.connect(transport);
  try {
    await run(client, transport.pid ?? 0);
  } finally {
    await client.close();
  }
}

/** Calls a tool as a task, and gives the id of the task. */
async function begin(client: Client, name: string, args: Record<string, unknown>, task: object = {}): Promise<string> {
  const params = { name, arguments: args, task };
  return (await client.request({ method: 'tools/call', params }, CreateTaskResultSchema)).task.taskId;
}

describe('O-09 long work as tasks', () => {
  it('O-09 a task is given at once, and has its state, its result and its end', () =>
    withVault({ 'a.md': 'apple [[b]]\n', 'b.md': 'b\n' }, (vault) =>
      withTasks(vault, async (client) => {
        const ended: string[] = [];
        client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void ended.push(`${params.taskId} ${params.status}`));
        const { tasks } = client.experimental;
        const id = await begin(client, 'vault_health', { rebuild: true }, { ttl: 60_000 });
        const result = await tasks.getTaskResult(id, CallToolResultSchema);
        expect(result.isError).not.toBe(true);
        expect(result._meta).toMatchObject({ 'io.modelcontextprotocol/related-task': { taskId: id } });
        expect(await tasks.getTask(id)).toMatchObject({ status: 'completed', ttl: 60_000 });
        await waitFor(() => ended.includes(`${id} completed`), { what: 'the notification' });
        const write = await begin(client, 'rename', { changes: [{ from: 'b.md', to: 'pear' }] });
        await tasks.getTaskResult(write, CallToolResultSchema);
        expect(vault.read('a.md')).toBe('apple [[pear]]\n');
        const refused = await begin(client, 'rename', { changes: [{ from: 'none.md', to: 'x' }] });
        expect((await tasks.getTaskResult(refused, CallToolResultSchema)).isError).toBe(true);
        expect(await tasks.getTask(refused)).toMatchObject({ status: 'failed' });
        expect((await tasks.listTasks()).tasks.map(({ taskId }) => taskId)).toEqual([id, write, refused]);
      }),
    ));

  it('O-09 it expires, is not cancelled after its end, and is nobody else’s', () =>
    withVault({ 'a.md': 'apple\n' }, (vault) =>
      withTasks(vault, async (client) => {
        const { tasks } = client.experimental;
        const short = await begin(client, 'vault_health', {}, { ttl: 1 });
        await waitFor(
          async () =>
            await tasks.getTask(short).then(
              () => false,
              () => true,
            ),
          { what: 'its end' },
        );
        const done = await begin(client, 'list_nodes', {});
        await tasks.getTaskResult(done, CallToolResultSchema);
        await expect(tasks.cancelTask(done)).rejects.toThrow(/completed already/);
        await expect(tasks.getTask('someone-elses-task-id')).rejects.toThrow(/no such task/);
        // What cannot take long is no task.
        await expect(begin(client, 'get_node', { id: 'a' })).rejects.toThrow(/cannot be called as a task/);
        const many = await Promise.all(Array.from({ length: 70 }, () => begin(client, 'list_nodes', {}).catch(String)));
        expect((await tasks.listTasks()).tasks.length).toBeLessThanOrEqual(64);
        for (const each of many) expect(each).toMatch(/^[\da-f-]{36}$|64 tasks of this connection are at work/);
      }),
    ));

  it('O-09 it is the same one after the process that worked on it was killed, and writes once', () =>
    withVault({ 'a.md': 'apple [[b]]\n', 'b.md': 'b\n' }, (vault) =>
      withTasks(vault, async (client, pid) => {
        const ids = [
          await begin(client, 'vault_health', { rebuild: true }),
          await begin(client, 'update_nodes', { ids: ['a'], add: { tags: ['x'] } }),
        ];
        process.kill(engineOf(pid), 'SIGKILL');
        for (const id of ids) expect((await client.experimental.tasks.getTaskResult(id, CallToolResultSchema)).isError).not.toBe(true);
        expect(vault.read('a.md').split('x').length).toBe(2);
      }),
    ));

  it('O-09 one that was refused is not carried out later, because another process has taken over', () =>
    withVault({ 'a.md': 'apple\n', 'b.md': 'b\n', 'c.md': 'c\n' }, (vault) =>
      withTasks(vault, async (client, pid) => {
        const { tasks } = client.experimental;
        const ended: string[] = [];
        client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void ended.push(`${params.taskId} ${params.status}`));
        const taken = (from: string, to: string) => begin(client, 'rename', { changes: [{ kind: 'file', from, to }] });
        const told = await taken('a.md', 'b.md');
        expect((await tasks.getTaskResult(told, CallToolResultSchema)).isError).toBe(true);
        const unread = await taken('c.md', 'b.md');
        await waitFor(() => ended.includes(`${unread} failed`), { what: 'its end' });
        vault.remove('b.md');
        process.kill(engineOf(pid), 'SIGKILL');
        const last = await begin(client, 'list_nodes', {});
        await tasks.getTaskResult(last, CallToolResultSchema);
        expect((await tasks.listTasks()).tasks.map(({ taskId }) => taskId)).toEqual([last]);
        expect(vault.files().filter((file) => file.endsWith('.md'))).toEqual(['a.md', 'c.md']);
      }),
    ));

  it('O-09 tools/list is that of all others for clients without tasks', () =>
    withVault({}, async (vault) => {
      const lists: unknown[] = [];
      for (const capabilities of [{}, { tasks: {} }]) {
        await withTasks(vault, async (client) => void lists.push((await client.listTools()).tools), capabilities);
      }
      const [without, withThem] = lists as { name: string; execution?: { taskSupport: string } }[][];
      expect(without?.some(({ execution }) => execution !== undefined)).toBe(false);
      expect(withThem?.map(({ execution: _execution, ...tool }) => tool)).toEqual(without);
      // A tool that has another name now would be missing here.
      expect(withThem?.filter(({ execution }) => execution?.taskSupport === 'optional').map(({ name }) => name)).toEqual([
        'create_entities',
        'delete_entities',
        'graph_plan',
        'graph_restructure',
        'kg_add_episodes',
        'kg_add_messages',
        'kg_clear_all',
        'kg_delete_group',
        'list_nodes',
        'merge_nodes',
        'rename',
        'rename_type',
        'search',
        'update_nodes',
        'vault_health',
      ]);
    }));
});
