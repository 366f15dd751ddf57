import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { noteText, vaultSummary } from '../../ops/notes/read/resources.ts';
import type { Host, ServedVault } from '../host.ts';
import type { Session } from '../session.ts';

const NOTE = 'roux://note/';
const VAULT = 'roux://vault';
const MEMORY = 'memory://knowledge-graph';
const PAGE = 200;
/** How long a burst of new or gone notes is gathered before clients are told that the list changed. */
const LIST_DEBOUNCE_MS = 250;
/** The protocol's code for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002;

/** Notes, the vault's summary and the memory graph as resources, with subscriptions. */
export function addResources(server: Server, host: Host, session: Session): void {
  const subscribed = new Set<string>();
  const ready = async (): Promise<ServedVault> => {
    const vault = await host.vault();
    await vault.ready;
    watch(vault);
    return vault;
  };
  const hasMemory = async () => (await host.operations()).find((operation) => operation.name === 'read_graph');

  server.setRequestHandler(ListResourcesRequestSchema, async ({ params }) => {
    const vault = await ready();
    const after = params?.cursor;
    const fixed = after === undefined ? fixedResources((await hasMemory()) !== undefined) : [];
    const notes = [...vault.graph.entries()].filter((entry) => after === undefined || entry.path > after);
    const page = notes.slice(0, PAGE);
    const last = page.at(-1);
    return {
      resources: [...fixed, ...page.map((entry) => ({ uri: toUri(entry.path), name: entry.title, mimeType: 'text/markdown' }))],
      ...(last === undefined || notes.length === page.length ? {} : { nextCursor: last.path }),
    };
  });

  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: `${NOTE}{path}`, name: 'note', description: 'The Markdown text of one note.', mimeType: 'text/markdown' },
    ],
  }));

  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, extra) => {
    const vault = await ready();
    const readGraph = uri === MEMORY ? await hasMemory() : undefined;
    if (readGraph !== undefined) {
      const { output } = await session.call({ operation: readGraph, args: {}, signal: extra.signal });
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(output) }] };
    }
    if (uri === VAULT) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(vaultSummary(vault)) }] };
    const path = toPath(uri);
    const text = path === null ? null : noteText(vault, path);
    if (text === null) throw new McpError(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`);
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });

  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (uri !== VAULT && uri !== MEMORY && toPath(uri) === null) throw new McpError(ErrorCode.InvalidParams, `Cannot subscribe to ${uri}.`);
    await ready();
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });

  let unwatch: (() => void) | null = null;
  let timer: NodeJS.Timeout | null = null;
  let size = 0;
  function watch(vault: ServedVault): void {
    if (unwatch !== null) return;
    size = vault.graph.size;
    unwatch = vault.onChange((paths) => {
      for (const uri of listTouched(subscribed, paths, host.config.memory.root))
        void server.sendResourceUpdated({ uri }).catch(() => undefined);
      const isListChanged = vault.graph.size !== size || paths.some((path) => vault.graph.get(path) === null);
      size = vault.graph.size;
      if (isListChanged)
        timer ??= setTimeout(() => ((timer = null), void server.sendResourceListChanged().catch(() => undefined)), LIST_DEBOUNCE_MS);
    });
  }
  const onclose = server.onclose;
  server.onclose = () => {
    onclose?.();
    unwatch?.();
    if (timer !== null) clearTimeout(timer);
  };
}

function fixedResources(hasMemory: boolean): Resource[] {
  return [
    {
      uri: VAULT,
      name: 'vault',
      description: 'What this vault holds: counts, types, tags, most linked notes.',
      mimeType: 'application/json',
    },
    ...(hasMemory
      ? [{ uri: MEMORY, name: 'knowledge-graph', description: 'Entities and relations of the memory tools.', mimeType: 'application/json' }]
      : []),
  ];
}

function listTouched(subscribed: ReadonlySet<string>, paths: readonly string[], memoryRoot: string): readonly string[] {
  if (subscribed.size === 0 || paths.length === 0) return [];
  const changed = new Set(paths);
  return [...subscribed].filter((uri) => {
    if (uri === VAULT) return true;
    if (uri === MEMORY) return paths.some((path) => path.startsWith(`${memoryRoot}/`));
    const path = toPath(uri);
    return path !== null && changed.has(path);
  });
}

function toUri(path: string): string {
  return NOTE + path.split('/').map(encodeURIComponent).join('/');
}

function toPath(uri: string): string | null {
  if (!uri.startsWith(NOTE)) return null;
  try {
    return decodeURIComponent(uri.slice(NOTE.length));
  } catch {
    // Not percent-encoded as a URI has to be.
    return null;
  }
}
