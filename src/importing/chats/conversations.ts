import { isRecord } from '../../is-record.ts';
import type { Tally } from '../imported.ts';
import { readElements } from '../source/json-elements.ts';
import { sourceName } from '../source/source-path.ts';
import type { SourceFile, SourceFiles } from '../source/source-files.ts';

type Values = Readonly<Record<string, unknown>>;

const CONVERSATIONS = /^conversations(?:-\d{1,5})?\.json$/i;

/** Returns the files with the conversations of an export, which may be in parts. */
export function conversationFiles({ files }: SourceFiles): readonly SourceFile[] {
  return files.filter(({ path }) => CONVERSATIONS.test(sourceName(path)));
}

interface Reading {
  readonly isConversation: (value: Values) => boolean;
  readonly idOf: (conversation: Values) => string;
  readonly tally: Tally;
  /** What is left out was named when they were read before. */
  readonly isAgain: boolean;
}

/** Yields each conversation once, in the order of the files. */
export async function* readConversations(source: SourceFiles, { isConversation, idOf, tally, isAgain }: Reading): AsyncIterable<Values> {
  const seen = new Set<string>();
  const leave = (what: string, reason: string): void => {
    if (!isAgain) tally.leave(what, reason);
  };
  for (const file of conversationFiles(source)) {
    for await (const element of readElements(file)) {
      if (element.kind === 'left') leave(`${file.path}, conversation ${element.index}`, element.reason);
      else if (!isRecord(element.value) || !isConversation(element.value)) leave(file.path, 'something in it is no conversation');
      else {
        const id = idOf(element.value);
        // Counts are of the last reading.
        if (seen.has(id)) tally.count('conversations that the export has twice, taken once');
        else yield element.value;
        seen.add(id);
      }
    }
  }
}
