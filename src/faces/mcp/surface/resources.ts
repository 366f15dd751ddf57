import * as z from 'zod';
import { memoryGraph } from '../../../ops/memory/operations.ts';
import { noteAt } from '../../../ops/notes/read/note-text.ts';
import { notePaths } from '../../../ops/notes/read/resources.ts';
import { vaultOverview } from '../../../ops/notes/read/vault-overview.ts';
import type { Operation } from '../../../ops/operation.ts';
import type { Session } from '../../../ops/session.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { Host } from '../../host.ts';
import { GRAPH_APP, listApp, readApp, showsApps } from '../app/graph-app.ts';
import { defineRequest, FAULTS, ProtocolFault } from './request.ts';
import type { RequestKind } from './request.ts';
import { MEMORY, MAX_URI_CHARACTERS, NOTE_TEMPLATE, toPath, toUri, VAULT } from './resource-uris.ts';

const MAX_PAGE_NOTES = 200;
/** Answers requests for resources: notes, the vault's summary and the memory graph. */
export function resourceRequests(host: Host, session: Session): readonly RequestKind[] {
  const hasMemory = async (): Promise<boolean> => (await host.operations()).some(({ name }) => name === 'read_graph');
  return [
    defineRequest({
      method: 'resources/list',
      params: z.object({ cursor: z.string().optional() }).optional(),
      answer: async (params, { signal, capabilities }) => {
        const cursor = params?.cursor;
        const fixed = cursor === undefined ? [...fixedResources(await hasMemory()), ...(showsApps(capabilities) ? [listApp()] : [])] : [];
        const { output: page } = await session.run(notePaths, { cursor, limit: MAX_PAGE_NOTES }, { signal });
        return {
          resources: [
            ...fixed,
            ...page.notes.map(({ path, title, ...about }) => ({ uri: toUri(path), name: title, ...about, mimeType: 'text/markdown' })),
          ],
          ...(page.next_cursor === undefined ? {} : { nextCursor: page.next_cursor }),
        };
      },
    }),
    defineRequest({
      method: 'resources/templates/list',
      params: z.object({}).optional(),
      answer: () => ({
        resourceTemplates: [
          { uriTemplate: NOTE_TEMPLATE, name: 'note', description: 'The Markdown text of one note.', mimeType: 'text/markdown' },
        ],
      }),
    }),
    defineRequest({
      method: 'resources/read',
      params: z.object({ uri: z.string() }),
      answer: async ({ uri }, { signal }) => {
        const whole: Operation | null = uri === VAULT ? vaultOverview : uri === MEMORY && (await hasMemory()) ? memoryGraph : null;
        if (whole !== null) {
          const { output, fences } = await session.call({ operation: whole, args: {}, signal });
          return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(output) }, ...toContents(uri, fences)] };
        }
        const app = uri === GRAPH_APP ? readApp() : null;
        if (app !== null) return app;
        const path = toPath(uri);
        const read = path === null ? null : await session.call({ operation: noteAt, args: { path }, signal });
        const text = read?.output ?? null;
        if (text === null)
          throw new ProtocolFault(FAULTS.resourceNotFound, `Resource not found: ${shorten(uri, MAX_URI_CHARACTERS)}`, {
            uri: shorten(uri, MAX_URI_CHARACTERS),
          });
        return { contents: [{ uri, mimeType: 'text/markdown', text }, ...toContents(uri, read?.fences)] };
      },
    }),
  ];
}

/** Puts warnings about text that gives orders into contents of their own: the text itself stays as it is. */
function toContents(uri: string, fences: readonly string[] = []): readonly object[] {
  return fences.map((text) => ({ uri, mimeType: 'text/plain', text }));
}

function fixedResources(hasMemory: boolean): readonly Record<string, unknown>[] {
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
