import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { post, withServe } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

interface Event {
  readonly id: string;
  readonly message: { readonly method?: string; readonly id?: number; readonly params?: { readonly uri?: string } };
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

/** A session of a bare client, which sees the events of its streams as they are. */
async function openSession(port: number) {
  const opened = await post(port, {});
  const id = String(opened.headers['mcp-session-id']);
  const session = { ...headers, 'mcp-session-id': id };
  await post(port, { headers: session, body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' });
  return {
    id,
    send: (method: string, params: unknown) =>
      post(port, { headers: session, body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }) }),
    /** Listens, from behind an event where one is named. */
    listen(after?: string) {
      const events: Event[] = [];
      let text = '';
      let status = 0;
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        path: '/mcp',
        headers: { ...session, accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) },
      });
      const heard = (): readonly Event[] => {
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = /^id: (.*)$/m.exec(block)?.[1] ?? '';
          const data = /^data: (.+)$/m.exec(block)?.[1];
          if (data !== undefined) events.push({ id: event, message: JSON.parse(data) as Event['message'] });
        }
        return events;
      };
      request.on('response', (response) => {
        status = response.statusCode ?? 0;
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('error', () => undefined);
      });
      request.on('error', () => undefined);
      request.end();
      return { heard, status: () => status, cut: () => request.destroy() };
    },
  };
}

describe('sessions over HTTP', () => {
  it('V-06 a stream resumes after a cut with no event lost and none doubled', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(vault, [], async ({ port }) => {
        const session = await openSession(port);
        const first = session.listen();
        await waitFor(() => first.status() === 200, { what: 'the stream' });
        await session.send('resources/subscribe', { uri: 'roux://note/a.md' });
        const isUpdate = ({ message }: Event): boolean => message.method === 'notifications/resources/updated';
        vault.write('a.md', 'one\n');
        await waitFor(() => first.heard().some(isUpdate), { what: 'the first update' });
        const last = first.heard().at(-1)?.id ?? '';
        expect(last).not.toBe('');
        first.cut();
        vault.write('a.md', 'two\n');
        // Seen by the server before anybody listens again: a call brings the note up to date.
        await waitFor(async () => (await session.send('resources/read', { uri: 'roux://note/a.md' })).body.includes('two'), {
          what: 'the note',
        });
        const second = session.listen(last);
        await waitFor(() => second.heard().some(isUpdate), { what: 'the update that was missed' });
        vault.write('a.md', 'three\n');
        await waitFor(() => second.heard().filter(isUpdate).length >= 2, { what: 'the next update' });
        const ids = [...first.heard(), ...second.heard()].map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        second.cut();
      }),
    ));

  it('V-06 a thousand at once are bounded: those that are idle make room, and the ones that listen stay', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ port, url }) => {
          const listening = await openSession(port);
          const stream = listening.listen();
          await waitFor(() => stream.status() === 200, { what: 'the stream' });
          const first = await openSession(port);
          // Where eight begin at the same moment none of them is idle, and the next one is asked to come again.
          const isLetIn = async (): Promise<boolean> => {
            const { status, headers: told } = await post(port, {});
            expect(status === 200 || (status === 503 && told['retry-after'] !== undefined)).toBe(true);
            return status === 200;
          };
          for (let round = 0; round < 20; round += 1)
            await Promise.all(Array.from({ length: 50 }, () => waitFor(isLetIn, { what: 'room for one more' })));
          expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nmcp_sessions 8\n');
          expect((await first.send('tools/list', {})).status).toBe(404);
          expect((await listening.send('tools/list', {})).status).toBe(200);
          stream.cut();
        },
        { ROUX_HTTP_MAX_SESSIONS: '8' },
      ),
    ));

  it('V-06 where all of them listen the next one is asked to come again, and is let in when one has gone', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ port }) => {
          const sessions = [await openSession(port), await openSession(port)];
          const streams = sessions.map((session) => session.listen());
          await waitFor(() => streams.every(({ status }) => status() === 200), { what: 'both streams' });
          const third = await post(port, {});
          expect(third.status).toBe(503);
          expect(third.headers['retry-after']).toBeDefined();
          streams[0]?.cut();
          await waitFor(async () => (await post(port, {})).status === 200, { what: 'room for one more' });
          streams[1]?.cut();
        },
        { ROUX_HTTP_MAX_SESSIONS: '2' },
      ),
    ));

  it('V-06 idle ones end; one that is ended by its client is gone at once; an id opens nothing to another token', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServe(
        vault,
        [],
        async ({ port, url }) => {
          const session = await openSession(port);
          expect((await session.send('tools/list', {})).status).toBe(200);
          const gone = await post(port, { method: 'DELETE', body: '', headers: { ...headers, 'mcp-session-id': session.id } });
          expect(gone.status).toBe(200);
          expect((await session.send('tools/list', {})).status).toBe(404);
          await openSession(port);
          await waitFor(async () => (await (await fetch(`${url}/metrics`)).text()).includes('\nmcp_sessions 0\n'), {
            what: 'the end of the idle session',
          });
        },
        // A hundredth of a minute.
        { ROUX_HTTP_SESSION_IDLE_MINUTES: '0.01' },
      ),
    ));

  it('V-06 one that does not read holds nobody up', () =>
    withVault(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`n${at}.md`, `Note ${at}\n`])), (vault) =>
      withServe(vault, [], async ({ port, url }) => {
        // Connected, and never read from: what is sent to it stays in buffers.
        const deaf = httpRequest({ port, host: '127.0.0.1', path: '/api/events', headers: { accept: 'text/event-stream' } });
        deaf.on('response', (response) => response.pause());
        deaf.on('error', () => undefined);
        deaf.end();
        const live = await fetch(`${url}/api/events`);
        const reader = live.body?.pipeThrough(new TextDecoderStream()).getReader();
        let heard = '';
        void (async () => {
          for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) heard += part.value;
        })().catch(() => undefined);
        await waitFor(() => heard.includes('event: state'), { what: 'the first event' });
        for (let at = 0; at < 50; at += 1) vault.write(`n${at}.md`, `Changed ${at}\n`);
        await waitFor(() => Array.from({ length: 50 }, (_, at) => at).every((at) => heard.includes(`"n${at}.md"`)), {
          what: 'all changes',
        });
        const session = await openSession(port);
        expect((await session.send('tools/list', {})).status).toBe(200);
        deaf.destroy();
        await reader?.cancel();
      }),
    ));

  it('V-06 a request that was taken back holds no connection, and a stream that is over is not opened again', () =>
    withVault(
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}.md`, `[[hub]] ${at}\n`]).concat([['hub.md', 'H\n']])),
      (vault) =>
        withServe(vault, [], async ({ port, url, stop }) => {
          const { id } = await openSession(port);
          const session = { ...headers, 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': id };
          const ask = (message: object) =>
            fetch(`${url}/mcp`, { method: 'POST', headers: session, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
          const resume = async (after: string) => {
            const answer = await fetch(`${url}/mcp`, { headers: { ...session, accept: 'text/event-stream', 'last-event-id': after } });
            return { status: answer.status, text: await answer.text() };
          };
          const rename = { name: 'update_node', arguments: { id: 'hub', title: 'Centre' } };
          // Three hundred notes are written anew: it is under way when it is taken back.
          const under = await ask({ id: 'slow', method: 'tools/call', params: rename });
          expect((await ask({ method: 'notifications/cancelled', params: { requestId: 'slow' } })).status).toBe(202);
          const begun = await under.text();
          expect(begun).not.toContain('jsonrpc');
          expect(await resume(/^id: (.*)$/m.exec(begun)?.[1] ?? '')).toEqual({ status: 204, text: '' });

          const missing = await (await ask({ id: 8, method: 'resources/read', params: { uri: 'roux://note/none.md' } })).text();
          const [first = '', last = ''] = [...missing.matchAll(/^id: (.*)$/gm)].map(([, each]) => each);
          const cut = await resume(first);
          expect(cut.status).toBe(200);
          expect(cut.text).toContain(`id: ${last}\ndata: {"jsonrpc":"2.0","id":8,"error"`);
          expect(await resume(last)).toEqual({ status: 204, text: '' });
          expect(await stop()).toBe(0);
        }),
    ));
});
