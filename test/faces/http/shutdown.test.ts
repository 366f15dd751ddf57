import { describe, expect, it } from 'vitest';
import { withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const json = { 'content-type': 'application/json' };

describe('the end of a server', () => {
  it('V-07 writes under way finish, what comes after is refused with retryable, and who listens is told', () =>
    withVault(
      Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`n${at}.md`, `[[hub]] ${at}\n`]).concat([['hub.md', 'H\n']])),
      (vault) =>
        withServe(vault, [], async ({ url, stop }) => {
          const live = await fetch(`${url}/api/events`);
          const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
          let told = '';
          const ended = (async () => {
            for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) told += part.value;
          })();
          await waitFor(() => told.includes('event: state'), { what: 'the first event' });
          // A rename that rewrites a hundred notes is under way when the server is asked to end.
          const rename = fetch(`${url}/api/update_node`, {
            method: 'POST',
            headers: json,
            body: JSON.stringify({ id: 'hub', title: 'Centre' }),
          });
          // Connections that are there already, as clients keep them.
          const early = Array.from({ length: 3 }, () => fetch(`${url}/health`));
          await Promise.all(early);
          // It has the lock, or had it: what only waits for it is refused (H-02).
          await waitFor(() => vault.list('.roux/lock').some((name) => /^\d/.test(name)), { what: 'the rename' });
          const status = stop();
          // One after the other and none waits for the one before, until the door is shut: nothing listens any more.
          const asked: Promise<{ title: string; status: number; retryable: boolean | undefined } | null>[] = [];
          for (let isShut = false; !isShut;) {
            const title = `late ${asked.length}`;
            const post = fetch(`${url}/api/create_node`, { method: 'POST', headers: json, body: JSON.stringify({ title }) });
            asked.push(
              post.then(
                async (response) => {
                  const { error } = (await response.json()) as { error?: { retryable?: boolean } };
                  return { title, status: response.status, retryable: error?.retryable };
                },
                () => {
                  isShut = true;
                  return null;
                },
              ),
            );
            await new Promise((resolve) => setTimeout(resolve, 2));
          }
          const late = (await Promise.all(asked)).filter((each) => each !== null);
          const answer = await rename;
          expect(answer.status).toBe(200);
          expect(await answer.json()).toMatchObject({ result: { path: 'centre.md' } });
          await ended;
          expect(told).toContain('event: closing');
          expect(await status).toBe(0);
          // Those that came before the signal did are carried out; all others are refused, and none is lost in between.
          expect(late.some(({ status: each }) => each === 503)).toBe(true);
          for (const { title, status: each, retryable } of late) {
            expect({ title, each, retryable }).toEqual({
              title,
              each: each === 200 ? 200 : 503,
              retryable: each === 200 ? undefined : true,
            });
            expect(vault.exists(`${title.replace(' ', '-')}.md`)).toBe(each === 200);
          }
          expect(vault.read('n99.md')).toBe('[[centre]] 99\n');
        }),
    ));
});
