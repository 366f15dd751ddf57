import { isRecord } from '../../../is-record.ts';
import { readAppPage } from '../../web/app-page.ts';

/** The page that shows answers of some tools as a graph, inside a conversation (MCP Apps, 2026-01-26). */
export const GRAPH_APP = 'ui://roux/graph.html';

const APP_TYPE = 'text/html;profile=mcp-app';
/** The extension under which clients say that they show such pages. */
const EXTENSION = 'io.modelcontextprotocol/ui';

/** Tools whose answers are a graph. */
const SHOWN_BY: ReadonlySet<string> = new Set(['get_neighbors', 'find_path', 'graph_open']);

/** It asks for nothing from anywhere; the host draws the frame around it. */
const META = { ui: { csp: {}, prefersBorder: true } };

/** Whether a client with these capabilities shows such pages. All others are told nothing of them, so that their lists stay as short as they are. */
export function showsApps(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) && isRecord(capabilities['extensions']) ? capabilities['extensions'] : {};
  const own = Object.hasOwn(extensions, EXTENSION) ? extensions[EXTENSION] : undefined;
  return isRecord(own) && Array.isArray(own['mimeTypes']) && own['mimeTypes'].includes(APP_TYPE);
}

/** A tool as such a client is told it. */
export function withApp<T extends { readonly name: string }>(tool: T): T {
  return SHOWN_BY.has(tool.name) ? { ...tool, _meta: { ui: { resourceUri: GRAPH_APP } } } : tool;
}

/** The page among the resources of such a client. */
export function listApp(): Readonly<Record<string, unknown>> {
  return { uri: GRAPH_APP, name: 'graph', description: 'Shows notes and links as a graph.', mimeType: APP_TYPE, _meta: META };
}

/** What `resources/read` answers for the page; null where it was not built. */
export function readApp(): Readonly<Record<string, unknown>> | null {
  const text = readAppPage();
  return text === null ? null : { contents: [{ uri: GRAPH_APP, mimeType: APP_TYPE, text, _meta: META }] };
}
