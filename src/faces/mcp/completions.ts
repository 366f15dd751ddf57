import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { completeWord } from '../../ops/notes/read/resources.ts';
import type { Host } from '../host.ts';

/** The protocol's limit. */
const MAX_VALUES = 100;

const KINDS = { path: 'note', title: 'title', tag: 'tag', type: 'type', project: 'project' } as const;

/** Completion of arguments: paths and titles of notes, projects, tags and types. */
export function addCompletions(server: Server, host: Host): void {
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { argument } }) => {
    const kind = Object.entries(KINDS).find(([name]) => name === argument.name)?.[1];
    if (kind === undefined) return { completion: { values: [] } };
    const vault = await host.vault();
    await vault.ready;
    const words = completeWord(vault, kind, argument.value);
    return { completion: { values: words.slice(0, MAX_VALUES), total: words.length, hasMore: words.length > MAX_VALUES } };
  });
}
