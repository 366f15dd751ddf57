import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import type { Access } from '../../../ports.ts';
import type { Host } from '../../host.ts';
import type { CreateSurface } from '../../mcp/surface/surface.ts';
import { proofOf } from '../../running-server.ts';
import type { Connections } from '../api/connect.ts';
import { createApp } from '../app.ts';
import { allowOrigin, answerPreflight, isPreflight, sendChallenge } from '../cors.ts';
import type { HttpEnv } from '../env.ts';
import { ANONYMOUS } from '../guard.ts';
import type { Refusal } from '../guard.ts';
import { limitRunning } from '../limits/limit-running.ts';
import { McpEndpoint } from '../mcp-endpoint.ts';
import { sendRefusal } from '../refuse.ts';
import { createTickets } from '../tickets.ts';
import { openAdmission } from './admission.ts';
import type { AdmissionOptions } from './admission.ts';
import { OpenResponses } from './open-responses.ts';
import { readPath, UNCLEAR_PATH } from './request-path.ts';

export interface ServeOptions extends AdmissionOptions {
  /** The name of the web page's user, for the history. */
  readonly person?: string;
  /** How clients connect to the vault, for the page. */
  readonly connections?: Connections;
  /** What MCP clients are offered; by default everything the host offers. */
  readonly open?: CreateSurface;
}

/** What leads to one vault of a server: its guard, its tokens and its routes, which no other vault of the server shares. */
export interface Door {
  /** Proves to programs of this user that this is their server. Opens nothing. */
  readonly key: string;
  /** Returns a ticket that the page can exchange for the token for some minutes. */
  ticket(): string;
  /** Returns why no answer of this server is for a page that sends this request; null if one may be. */
  refuseOrigin(request: IncomingMessage): Refusal | null;
  /** Answers a request. `target`: its path and query below the door. */
  answer(request: IncomingMessage, response: ServerResponse, target: string): void;
  /** Refuses new requests, waits for those in progress, and notifies listening clients. */
  close(): Promise<void>;
}

/** How long closing waits for requests in progress. */
const MAX_CLOSE_WAIT_MS = 10_000;
/** The routes that answer preflights. */
const CORS_ROUTES = /^\/(?:mcp|api|metrics|health)(?:\/|$)/;

/** Opens the door to a vault. */
export function openDoor(opened: Host, options: ServeOptions): Door {
  const host = limitRunning(opened);
  const admission = openAdmission(host, options);
  const open = new OpenResponses(admission.isGood);
  const tickets = createTickets(options.token);
  const closing = new AbortController();
  const mcp = new McpEndpoint(host, { closing: closing.signal, ...(options.open === undefined ? {} : { open: options.open }) });
  const app = createApp({
    host,
    mcp,
    closing: closing.signal,
    person: options.person ?? 'owner',
    connections: options.connections ?? { local: [], remote: [] },
    among: options.among ?? null,
    prove: (nonce) => proofOf(admission.key, nonce),
    redeem: (ticket) => tickets.redeem(ticket),
    oauth: admission.oauth,
  });
  const admitted = new WeakMap<IncomingMessage, { readonly access: Access; readonly path: string }>();
  const listener = getRequestListener(
    (request, env) => {
      const { incoming } = env as HttpEnv['Bindings'];
      const judged = admitted.get(incoming);
      if (judged === undefined) throw new Error('A request came past the guard.');
      return app.routes.fetch(request, { ...env, ...judged });
    },
    { overrideGlobalObjects: false },
  );
  const underWay = new Set<ServerResponse>();

  return {
    key: admission.key,
    ticket: () => tickets.issue(),
    refuseOrigin: (request) => admission.guard.refuseOrigin(request, ''),
    answer(request, response, target) {
      const path = readPath(target);
      const foreign = admission.guard.refuseOrigin(request, path ?? '');
      if (foreign !== null) return sendRefusal(response, foreign);
      if (path === null) return sendRefusal(response, UNCLEAR_PATH);
      allowOrigin(request, response);
      if ((CORS_ROUTES.test(path) || admission.isForAnyOrigin(path)) && isPreflight(request)) return answerPreflight(response);
      const isPublic = admission.ifReadable(() => app.isPublic(request.method ?? '', path, request.headers.accept), false);
      const access = isPublic ? ANONYMOUS : admission.guard.admit(request, path);
      if ('status' in access) {
        if (access.status === 401) sendChallenge(response, admission.challenge(request, path, target));
        return sendRefusal(response, access);
      }
      admitted.set(request, { access, path });
      if (access !== ANONYMOUS) open.add({ request, response, access });
      // Streams (GET) end with the server; other requests are finished first.
      if (request.method !== 'GET') {
        underWay.add(response);
        response.once('close', () => underWay.delete(response));
      }
      void listener(request, response);
    },
    async close() {
      closing.abort();
      open.close();
      const until = performance.now() + MAX_CLOSE_WAIT_MS;
      while (underWay.size > 0 && performance.now() < until) await setTimeout(20);
      await mcp.close();
    },
  };
}
