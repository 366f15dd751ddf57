import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Access } from '../../ports.ts';

/** What a request comes with once it was let in: Node's own request and response, and what the caller may do. */
export interface HttpEnv {
  readonly Bindings: HttpBindings & { readonly access: Access };
}

/** A request to the server, and the way to answer it. */
export type HttpContext = Context<HttpEnv>;
