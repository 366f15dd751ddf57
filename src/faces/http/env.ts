import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Access } from '../../ports.ts';

/** What the guard adds to an admitted request: Node's own request and response, what the caller may do, and the path that was checked. */
export interface HttpEnv {
  readonly Bindings: HttpBindings & { readonly access: Access; readonly path: string };
}

/** A request, and the means to answer it. */
export type HttpContext = Context<HttpEnv>;
