import { getPath } from 'hono/utils/url';
import type { Refusal } from '../guard.ts';

const BASE = 'http://localhost';

/**
 * Returns the path of a request target, without its query and with percent-escapes decoded as the router decodes them. Guard and router both
 * decide on this one value. Null where URL parsers would change the path (`..`, `%2e%2e`, `\\`, `//host`, a character that must be escaped)
 * or where there is none (`*`, `http://…`): different programs would read different paths in it.
 */
export function readPath(target: string): string | null {
  const [path = ''] = target.split('?', 1);
  if (!path.startsWith('/') || !URL.canParse(path, BASE)) return null;
  const url = new URL(path, BASE);
  if (url.origin !== BASE || url.pathname !== path) return null;
  return getPath({ url: `${BASE}${path}` } as Request);
}

export const UNCLEAR_PATH: Refusal = {
  status: 400,
  message:
    'The path is not in its normal form. Leave out "." and ".." and a second slash at the beginning, and percent-encode what is no plain character of a URL.',
};
