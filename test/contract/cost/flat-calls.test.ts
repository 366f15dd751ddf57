import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startWorker } from '../../../src/start-worker.ts';
import type { Excesses } from './flat-calls.ts';

it('a call that many notes do not concern does the same among few and many of them, counted by what code runs', async () => {
  // In a thread that loads nothing else: with each count V8 goes through all that was ever loaded, and another test may leave work behind.
  const thread = startWorker(import.meta.url, './flat-calls.js');
  try {
    const [excesses] = (await once(thread, 'message')) as [Excesses];
    expect(excesses).toEqual([]);
  } finally {
    await thread.terminate();
  }
});
