import { readFile } from '../../../ops/page/read-file.ts';
import type { HttpContext } from '../env.ts';
import { answerError } from './answer.ts';
import type { Callers } from './callers.ts';

/** What files of a vault are served as. Whatever is not listed is bytes to be kept, and nothing that a browser would show or run. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  // As an image alone: a browser runs no script in one.
  ['svg', 'image/svg+xml'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['mov', 'video/quicktime'],
  ['pdf', 'application/pdf'],
]);

/** `GET /api/file/<path>`: a file of the vault that is no note. Nothing in it runs, or asks for anything, wherever it is opened. */
export async function answerFile(callers: Callers, context: HttpContext): Promise<Response> {
  try {
    const path = pathIn(context.req.path);
    const { output } = await callers.sessionOf(context).run(readFile, { path });
    const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
    const type = TYPES.get(extension);
    return context.body(new Uint8Array(output.bytes), 200, {
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Security-Policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
      'Content-Disposition': type === undefined || type === 'image/svg+xml' ? 'attachment' : 'inline',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-cache',
    });
  } catch (error) {
    return answerError(context, error);
  }
}

function pathIn(address: string): string {
  const rest = address.slice('/api/file/'.length);
  try {
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}
