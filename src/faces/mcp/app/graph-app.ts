import { isRecord } from '../../../is-record.ts';
import { readAppPage } from '../../web/page-folder.ts';

/** The page that shows the answers of some tools as a graph inside of a conversation (MCP Apps, 2026-01-26). */
export const GRAPH_APP = 'ui://roux/graph.html';

const APP_TYPE = 'text/html;profile=mcp-app';
/** The extension with which clients say that they can show such pages. */
const EXTENSION = 'io.modelcontextprotocol/ui';

/** The tools whose answers it shows. */
const SHOWN_BY: ReadonlySet<string> = new Set(['get_neighbors', 'find_path', 'graph_open']);

/** The page makes no requests; the host draws a border around it. */
const META = { ui: { csp: {}, prefersBorder: true } };

/** Whether a client with these capabilities shows such pages. Other clients are not told of them, which keeps their lists short. */
export function showsApps(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) && isRecord(capabilities['extensions']) ? capabilities['extensions'] : {};
  const own = Object.hasOwn(extensions, EXTENSION) ? extensions[EXTENSION] : undefined;
  return isRecord(own) && Array.isArray(own['mimeTypes']) && own['mimeTypes'].includes(APP_TYPE);
}

/** Adds the page to a tool that it can show, for a client that shows pages. */
export function withApp<T extends { readonly name: string }>(tool: T): T {
  return SHOWN_BY.has(tool.name) ? { ...tool, _meta: { ui: { resourceUri: GRAPH_APP } } } : tool;
}

/** Returns the page as an entry of `resources/list`. */
export function listApp(): Readonly<Record<string, unknown>> {
  return { uri: GRAPH_APP, name: 'graph', description: 'Shows notes and links as a graph.', mimeType: APP_TYPE, _meta: META };
}

/** Returns the answer of `resources/read` for the page; null if it was not built. */
export function readApp(): Readonly<Record<string, unknown>> | null {
  const text = readAppPage();
  return text === null ? null : { contents: [{ uri: GRAPH_APP, mimeType: APP_TYPE, text, _meta: META }] };
}
