import { parentPort } from 'node:worker_threads';
import { errorMessage } from '../../errors.ts';
import type { RenderJob } from '../job.ts';
import { renderNote } from '../render-note.ts';
import type { RenderReply } from './render-thread.ts';

const port = parentPort;
port?.on('message', (job: RenderJob) => {
  let reply: RenderReply;
  try {
    reply = { value: renderNote(job) };
  } catch (error) {
    reply = { error: errorMessage(error) };
  }
  port.postMessage(reply);
});
