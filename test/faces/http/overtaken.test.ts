import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { findTitles } from '../../../src/ops/notes/page/find/find-titles.ts';
import { withHttp } from '../../support/program/http-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Sends a call over a connection of its own, and resolves when it is on its way. */
async function send(port: number, operation: string, args: object): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  const body = JSON.stringify(args);
  const head = `Host: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Roux-Page: 1\r\nContent-Length: ${body.length}`;
  socket.write(`POST /api/${operation} HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  return socket;
}

it('V-14 of the questions that a page asks with each key, those that a newer key has overtaken do not reach the operation', () =>
  withVault({ 'Garden.md': 'text\n' }, (vault) =>
    withHttp(vault, ['--toolsets', 'all'], async ({ port }) => {
      const asked: string[] = [];
      const run = findTitles.run.bind(findTitles);
      const spy = vi.spyOn(findTitles, 'run').mockImplementation((context, args) => {
        asked.push(args.query);
        return run(context, args);
      });
      try {
        const last = await send(port, 'find_titles', { query: 'warm' });
        await waitFor(() => asked.length === 1, { what: 'the first answer' });
        last.destroy();
        const sockets: Socket[] = [];
        // Nothing is read before all have been sent, as where the server is at work.
        for (const query of ['g', 'ga', 'gar', 'gard', 'garde', 'garden']) {
          const socket = await send(port, 'find_titles', { query });
          if (query !== 'garden') socket.destroy();
          sockets.push(socket);
        }
        await waitFor(() => asked.includes('garden'), { what: 'the last question' });
        expect(asked).toEqual(['warm', 'garden']);
        for (const socket of sockets) socket.destroy();
      } finally {
        spy.mockRestore();
      }
    }),
  ));
