import { parentPort } from 'node:worker_threads';
import { collectWhenIdle } from '../../../at-rest/collect-when-idle.ts';
import { errorMessage } from '../../../errors.ts';
import { openInvertedIndex } from '../inverted/inverted-index.ts';
import { openSearchSlices } from './search-slices.ts';
import type { SearchAsk, SearchReply } from './search-thread.ts';

const port = parentPort;
if (port !== null) {
  collectWhenIdle();
  const host = openSearchSlices(openInvertedIndex());
  const answer = (ask: SearchAsk): Promise<unknown> => {
    switch (ask.op) {
      case 'put':
        return host.put(ask.documents);
      case 'remove':
        return host.remove(ask.keys);
      case 'rank':
        return host.rank(ask.query);
      case 'save':
        return host.save(ask.notes);
      case 'load':
        return host.load(ask.bytes);
    }
  };
  port.on('message', (ask: SearchAsk & { readonly id: number }) => {
    answer(ask).then(
      (value) => {
        const reply: SearchReply = { id: ask.id, value };
        port.postMessage(reply, buffersOf(value));
      },
      (error: unknown) => port.postMessage({ id: ask.id, error: errorMessage(error) } satisfies SearchReply),
    );
  });
}

/** Returns what is given away with a reply instead of being copied: the arrays of hits, or the blocks of a stored index. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const arrays: readonly unknown[] = Object.values(value ?? {});
  return arrays.flatMap((each) => (ArrayBuffer.isView(each) && each.buffer instanceof ArrayBuffer ? each.buffer : []));
}
