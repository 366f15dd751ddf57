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
  let pieces: ReturnType<typeof host.save> | null = null;
  /** Returns the next piece of what is being saved, or what it ended with. */
  const nextPiece = async (room: Uint8Array): Promise<Uint8Array | boolean> => {
    const step = await pieces?.next();
    return step?.done === false ? copyInto(room, step.value) : step?.value === true;
  };
  const answer = (ask: SearchAsk): Promise<unknown> => {
    switch (ask.op) {
      case 'put':
        return host.put(ask.documents);
      case 'remove':
        return host.remove(ask.keys);
      case 'rank':
        return host.rank(ask.query);
      case 'save':
        pieces = host.save(ask.notes);
        return nextPiece(new Uint8Array());
      case 'piece':
        return nextPiece(ask.room);
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

/** Returns bytes in memory that can be given away: the same as before where they fit. */
function copyInto(room: Uint8Array, bytes: Uint8Array): Uint8Array {
  const own = bytes.length <= room.length ? room : new Uint8Array(bytes.length);
  own.set(bytes);
  return own.subarray(0, bytes.length);
}

/** Returns what is given away with a reply instead of being copied: the arrays of hits, or a piece of what is saved. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const arrays: readonly unknown[] = ArrayBuffer.isView(value) ? [value] : Object.values(value ?? {});
  return arrays.flatMap((each) => (ArrayBuffer.isView(each) && each.buffer instanceof ArrayBuffer ? each.buffer : []));
}
