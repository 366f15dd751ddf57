import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { readPdf } from './pdf-text.ts';

// A document has nothing to load from elsewhere.
for (const name of ['fetch', 'WebSocket', 'EventSource']) Object.defineProperty(globalThis, name, { value: undefined });

/** Lowers the priority below everything else. On Linux pid 0 is this thread; elsewhere it would be the whole process. */
if (process.platform === 'linux') {
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted.
  }
}

const port = parentPort;
port?.on('message', (bytes: Uint8Array) => void readPdf(bytes, (reply) => port.postMessage(reply)));
