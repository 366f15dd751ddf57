import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { startWorker, whenThreadsRun } from '../../src/start-worker.ts';
import { withVault } from '../support/vault.ts';

it('what may not be changed while a thread starts is changed once all of them run, in order', () =>
  withVault({ 'thread.cjs': '' }, async (folder) => {
    const beside = pathToFileURL(folder.path('main.js')).href;
    const changes: number[] = [];
    whenThreadsRun(() => changes.push(1));
    expect(changes).toEqual([1]);
    const threads = [startWorker(beside, 'thread.cjs'), startWorker(beside, 'thread.cjs')];
    whenThreadsRun(() => changes.push(2));
    whenThreadsRun(() => changes.push(3));
    expect(changes).toEqual([1]);
    await Promise.all(threads.map((thread) => once(thread, 'exit')));
    expect(changes).toEqual([1, 2, 3]);
  }));
