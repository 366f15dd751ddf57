import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { startWorker, whenThreadsRun } from '../../src/start-worker.ts';
import { withVault } from '../support/vault.ts';

it('what may not be changed while a thread starts is changed once all of them run, in order', () =>
  withVault({ 'thread.cjs': '' }, async (folder) => {
    const beside = pathToFileURL(folder.path('main.js')).href;
    const changes: number[] = [];
    // Threads that tests before this one have left may be starting.
    await new Promise<void>((resolve) => whenThreadsRun(resolve));
    const threads = [startWorker(beside, 'thread.cjs'), startWorker(beside, 'thread.cjs')];
    whenThreadsRun(() => changes.push(1));
    whenThreadsRun(() => changes.push(2));
    expect(changes).toEqual([]);
    await Promise.all(threads.map((thread) => once(thread, 'exit')));
    expect(changes).toEqual([1, 2]);
  }));
