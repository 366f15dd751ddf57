import { EventEmitter } from 'node:events';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { answerEvents } from '../../../src/faces/http/api/live.ts';
import type { Callers } from '../../../src/faces/http/api/callers.ts';
import type { HttpEnv } from '../../../src/faces/http/env.ts';
import { OWNER } from '../../../src/faces/http/guard.ts';
import { TokenShares } from '../../../src/faces/http/limits/token-shares.ts';
import { waitFor } from '../../support/wait-for.ts';

it('V-06 who asks for the head of the events alone is answered, and follows nothing', async () => {
  let following = 0;
  const session = {
    follow: () => {
      following += 1;
      return Promise.resolve(() => void (following -= 1));
    },
    state: () => Promise.resolve({ isReady: true }),
  };
  const callers = { sessionOf: () => session } as unknown as Callers;
  const app = new Hono<HttpEnv>();
  app.get('/api/events', (context) =>
    answerEvents({ callers, closing: new AbortController().signal, streams: new TokenShares(64) }, context),
  );
  const head = await app.request('/api/events', { method: 'HEAD' });
  expect({ status: head.status, type: head.headers.get('content-type'), following }).toEqual({
    status: 200,
    type: 'text/event-stream',
    following: 0,
  });
  const whole = await app.request('/api/events', {}, { access: OWNER, outgoing: new EventEmitter() });
  await waitFor(() => following === 1, { what: 'the follower' });
  await whole.body?.cancel();
  await waitFor(() => following === 0, { what: 'its end' });
});
