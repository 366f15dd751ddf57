import { readFile } from '../../../ops/notes/files/read-file.ts';
import type { HttpContext } from '../env.ts';
import { answerError } from './answer.ts';
import type { Callers } from './callers.ts';

/** The media types of files in a vault. Other files are sent as bytes to download, so that a browser neither shows nor runs them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  // Only embedded as an image, where browsers run no scripts.
  ['svg', 'image/svg+xml'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['3gp', 'audio/3gpp'],
  ['mov', 'video/quicktime'],
  ['ogv', 'video/ogg'],
  ['mkv', 'video/x-matroska'],
  ['pdf', 'application/pdf'],
]);

/** `GET /api/file/<path>`: sends a file other than a note. Nothing in it can run scripts or send requests, however it is opened. */
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
