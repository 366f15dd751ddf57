import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { TaskCalls } from '../../../src/faces/mcp/legacy/task-calls.ts';
import type { Surface } from '../../../src/faces/mcp/surface/surface.ts';

it('O-09 a task at work is cancelled: its call is told, and nobody gets a result', async () => {
  const signals: AbortSignal[] = [];
  const surface: Pick<Surface, 'answer'> = {
    async answer(_method, _params, { signal }) {
      signals.push(signal);
      await setTimeout(60_000, undefined, { signal });
      return {};
    },
  };
  const ended: unknown[] = [];
  const calls = new TaskCalls(surface as Surface, (task) => ended.push(task));
  const { signal } = new AbortController();
  const { task } = calls.start('tools/call', { name: 'search', task: {} }, undefined) as {
    readonly task: { readonly taskId: string };
  };
  const { taskId } = task;
  const result = calls.answer('tasks/result', { taskId }, signal);
  expect(await calls.answer('tasks/cancel', { taskId }, signal)).toMatchObject({ taskId, status: 'cancelled' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await expect(result).rejects.toThrow('The task was cancelled.');
  expect(await calls.answer('tasks/get', { taskId }, signal)).toMatchObject({ status: 'cancelled' });
  await expect(calls.answer('tasks/cancel', { taskId }, signal)).rejects.toThrow('The task is cancelled already.');
  expect(ended).toEqual([]);
  calls.end();
});
