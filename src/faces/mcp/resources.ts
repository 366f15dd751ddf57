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
import { memoryGraph } from '../../ops/memory/operations.ts';
import { noteAt } from '../../ops/notes/read/note-text.ts';
import { notePaths, vaultSummary } from '../../ops/notes/read/resources.ts';
import type { Operation } from '../../ops/operation.ts';
import type { Session } from '../../ops/session.ts';
import { shorten } from '../../ops/shorten.ts';
import type { Host } from '../host.ts';
import { answerRequest } from './answer-request.ts';

const NOTE = 'roux://note/';
const VAULT = 'roux://vault';
const MEMORY = 'memory://knowledge-graph';
const PAGE = 200;
/** How long a burst of new or gone notes is gathered before clients are told that the list changed. */
const LIST_DEBOUNCE_MS = 250;
/** So many characters of an address are repeated in an error. */
const MOST_URI = 300;
/** The protocol's code for a resource that is not there. */
const RESOURCE_NOT_FOUND = -32002;

/** Notes, the vault's summary and the memory graph as resources, with subscriptions. */
export function addResources(server: Server, host: Host, session: Session): void {
  const subscribed = new Set<string>();
  const hasMemory = async (): Promise<boolean> => (await host.operations()).some(({ name }) => name === 'read_graph');

  answerRequest(server, ListResourcesRequestSchema, async ({ params }, { signal }) => {
    await follow();
    const cursor = params?.cursor;
    const fixed = cursor === undefined ? fixedResources(await hasMemory()) : [];
    const { output: page } = await session.call({ operation: notePaths, args: { cursor, limit: PAGE }, signal });
    return {
      resources: [...fixed, ...page.notes.map(({ path, title }) => ({ uri: toUri(path), name: title, mimeType: 'text/markdown' }))],
      ...(page.next_cursor === undefined ? {} : { nextCursor: page.next_cursor }),
    };
  });

  answerRequest(server, ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [
      { uriTemplate: `${NOTE}{path}`, name: 'note', description: 'The Markdown text of one note.', mimeType: 'text/markdown' },
    ],
  }));

  answerRequest(server, ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    await follow();
    const whole: Operation | null = uri === VAULT ? vaultSummary : uri === MEMORY && (await hasMemory()) ? memoryGraph : null;
    if (whole !== null) {
      const { output } = await session.call({ operation: whole, args: {}, signal });
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(output) }] };
    }
    const path = toPath(uri);
    const text = path === null ? null : (await session.call({ operation: noteAt, args: { path }, signal })).output;
    if (text === null) throw new McpError(RESOURCE_NOT_FOUND, `Resource not found: ${shorten(uri, MOST_URI)}`);
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });

  answerRequest(server, SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (uri !== VAULT && uri !== MEMORY && toPath(uri) === null)
      throw new McpError(ErrorCode.InvalidParams, `Cannot subscribe to ${shorten(uri, MOST_URI)}.`);
    await follow();
    subscribed.add(uri);
    return {};
  });
  answerRequest(server, UnsubscribeRequestSchema, ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });

  let following: Promise<() => void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** Who has asked for resources once is told of changes from then on. */
  function follow(): Promise<unknown> {
    return (following ??= session.follow(({ paths, isListChanged }) => {
      for (const uri of listTouched(subscribed, paths, host.config.memory.root))
        void server.sendResourceUpdated({ uri }).catch(() => undefined);
      if (isListChanged)
        timer ??= setTimeout(() => ((timer = null), void server.sendResourceListChanged().catch(() => undefined)), LIST_DEBOUNCE_MS);
    }));
  }
  const onclose = server.onclose;
  server.onclose = () => {
    onclose?.();
    following?.then(
      (stop) => stop(),
      () => undefined,
    );
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
