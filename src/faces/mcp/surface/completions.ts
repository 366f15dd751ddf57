import * as z from 'zod';
import { completeWord } from '../../../ops/notes/read/resources.ts';
import type { WordKind } from '../../../ops/notes/read/resources.ts';
import type { Session } from '../../../ops/session.ts';
import { shorten } from '../../../ops/shorten.ts';
import type { Host } from '../../host.ts';
import { isPrompt } from './prompts.ts';
import { defineRequest, FAULTS, ProtocolFault } from './request.ts';
import type { RequestKind } from './request.ts';
import { MAX_URI_CHARACTERS, NOTE_TEMPLATE, toPath } from './resource-uris.ts';

/** The limit of the protocol. */
const MAX_VALUES = 100;

/** What completes an argument, by the argument's name. */
const KINDS: ReadonlyMap<string, WordKind> = new Map([
  ['path', 'note'],
  ['title', 'title'],
  ['tag', 'tag'],
  ['type', 'type'],
  ['project', 'project'],
]);

const reference = z.union([
  z.object({ type: z.literal('ref/prompt'), name: z.string() }),
  z.object({ type: z.literal('ref/resource'), uri: z.string() }),
]);

/** Answers `completion/complete`: paths and titles of notes, projects, tags and types. */
export function completionRequests(host: Host, session: Session): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'completion/complete',
      params: z.object({ ref: reference, argument: z.object({ name: z.string(), value: z.string() }) }),
      answer: async ({ ref, argument }, { signal }) => {
        requireOffered(host, ref);
        const kind = KINDS.get(argument.name);
        if (kind === undefined) return { completion: { values: [] } };
        const args = { kind, beginning: argument.value, limit: MAX_VALUES };
        const { words, total } = (await session.run(completeWord, args, { signal })).output;
        return { completion: { values: [...words], total, hasMore: total > words.length } };
      },
    }),
  ];
}

/** Throws if the prompt or template does not exist. */
function requireOffered(host: Host, ref: z.output<typeof reference>): void {
  const isThere = ref.type === 'ref/prompt' ? isPrompt(host, ref.name) : ref.uri === NOTE_TEMPLATE || toPath(ref.uri) !== null;
  if (isThere) return;
  const named =
    ref.type === 'ref/prompt' ? `prompt "${shorten(ref.name, MAX_URI_CHARACTERS)}"` : `template ${shorten(ref.uri, MAX_URI_CHARACTERS)}`;
  throw new ProtocolFault(FAULTS.invalidParams, `There is no ${named}.`);
}
