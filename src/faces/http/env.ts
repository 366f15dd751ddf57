import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Access } from '../../ports.ts';

/** What a request comes with once the guard let it in: Node's own request and response, what the caller may do, and the path that the guard judged. */
export interface HttpEnv {
  readonly Bindings: HttpBindings & { readonly access: Access; readonly path: string };
}

/** A request to the server, and the way to answer it. */
export type HttpContext = Context<HttpEnv>;
