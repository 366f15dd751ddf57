import { readFileSync, readdirSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { pageFolder } from './page-folder.ts';

/** A file of the page, ready to be sent. */
interface Asset {
  readonly type: string;
  /** Null where the build left only the compressed form, as for megabytes that nearly nobody needs uncompressed. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** Brotli, compressed by the build; null if there is none. */
  readonly compressed: Uint8Array<ArrayBuffer> | null;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['woff2', 'font/woff2'],
]);

/** The URLs of the views, which are all served by one page. */
const VIEWS = [
  '/',
  '/search',
  '/note',
  '/note/*',
  '/file/*',
  '/tag',
  '/tag/*',
  '/code',
  '/code/*',
  '/attention',
  '/graph',
  '/tasks',
  '/tasks/*',
  '/memory',
  '/knowledge',
  '/activity',
] as const;

/**
 * The Content-Security-Policy of the page: it may run its own files, call its own server and show images that it fetched itself. HTML,
 * scripts and styles can only be created through the page's one trusted-types policy (`src/page/browser/parts/server-html.tsx`).
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  'media-src blob:',
  "frame-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types roux',
].join('; ');

const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', CONTENT_SECURITY_POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
];

/** The pages of the server. */
export interface WebApp {
  readonly routes: Hono;
  /** Answers an address that no view has with the page and status 404: the page says so, and offers to search. */
  answerUnknown(context: Context): Response;
}

/**
 * The policy of the frame that draws diagrams: its script may write styles, which mermaid does, and reaches nothing. It has an origin of
 * its own, so that not even a script of a hostile diagram could read anything of the page.
 */
const FRAME_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts',
].join('; ');

const FRAME_HEADERS: readonly (readonly [string, string])[] = [
  ...HEADERS.filter(([name]) => name !== 'X-Frame-Options'),
  ['Content-Security-Policy', FRAME_POLICY],
];
const FRAME_SCRIPT = /^diagram-frame-/;
/** The frame's origin is not that of its own script. */
const FRAME_SCRIPT_HEADERS: readonly (readonly [string, string])[] = [...HEADERS, ['Cross-Origin-Resource-Policy', 'cross-origin']];

/**
 * The static part of the page: the shell at the URL of every view, and its files. They contain nothing from a vault and need no token; the
 * page loads all data with one. The built files are read on the first request. `base`: the path below which the page is, if it is not the
 * server's: `/notes`. Its files are the server's in any case.
 */
export function webApp(base = ''): WebApp {
  const app = new Hono();
  let page: Page | undefined;
  const pageOf = (): Page => (page ??= readPage(base));
  const sendIndex = (context: Context, status: 200 | 404): Response => {
    const { index } = pageOf();
    if (index === null) return sendText(context, 'The page was not built. Run "npm run build" and start the server again.', 503);
    context.status(status);
    return send(context, index, 'no-cache');
  };
  for (const path of VIEWS) app.get(path, (context) => sendIndex(context, 200));
  app.get('/frames/diagram', (context) => {
    const { frame } = pageOf();
    return frame === null ? sendText(context, 'The page was not built.', 503) : send(context, frame, 'no-cache', FRAME_HEADERS);
  });
  app.get('/assets/:name', (context) => {
    const name = context.req.param('name');
    const asset = pageOf().assets.get(name);
    if (asset === undefined) return sendText(context, 'There is no such file; the page may have been updated. Load it again.', 404);
    return send(context, asset, 'public, max-age=31536000, immutable', FRAME_SCRIPT.test(name) ? FRAME_SCRIPT_HEADERS : HEADERS);
  });
  // Browsers request these by themselves, without a token.
  for (const path of ['/favicon.ico', '/favicon.svg']) app.get(path, (context) => sendText(context, 'The page has no icon file.', 404));
  return { routes: app, answerUnknown: (context) => sendIndex(context, 404) };
}

interface Page {
  readonly index: Asset | null;
  /** The frame that draws diagrams. */
  readonly frame: Asset | null;
  readonly assets: ReadonlyMap<string, Asset>;
}

function readPage(base: string): Page {
  const folder = pageFolder();
  try {
    const files = new URL('assets/', folder);
    const names = new Set(readdirSync(files));
    const read = (name: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL(name, files)));
    const assets = [...names].flatMap((file): (readonly [string, Asset])[] => {
      const name = file.replace(/\.br$/, '');
      const type = TYPES.get(fileExtension(name));
      // A file that has both forms is read under its own name.
      if (type === undefined || (name !== file && names.has(name))) return [];
      const compressed = names.has(`${name}.br`) ? read(`${name}.br`) : null;
      return [[name, { type, bytes: names.has(name) ? read(name) : null, compressed }]];
    });
    const document = (name: string): Asset => ({
      type: 'text/html; charset=utf-8',
      bytes: new Uint8Array(readFileSync(new URL(name, folder))),
      compressed: null,
    });
    return { index: withBase(document('index.html'), base), frame: document('diagram-frame.html'), assets: new Map(assets) };
  } catch {
    // The build has reported the failure; everything but the page works.
    return { index: null, frame: null, assets: new Map() };
  }
}

/** Tells the page below which path it is. */
function withBase(index: Asset, base: string): Asset {
  if (base === '') return index;
  const text = Buffer.from(index.bytes ?? []).toString('utf8');
  // It is percent-encoded, and so has no character that ends the attribute.
  return { ...index, bytes: new Uint8Array(Buffer.from(text.replace('<html ', () => `<html data-base="${base}" `))) };
}

function fileExtension(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function send(context: Context, { type, bytes, compressed }: Asset, caching: string, headers = HEADERS): Response {
  setHeaders(context, headers);
  context.header('Content-Type', type);
  context.header('Cache-Control', caching);
  context.header('Vary', 'Accept-Encoding');
  const takesBrotli = /(?:^|,)\s*br\s*(?:,|$|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/.test(context.req.header('Accept-Encoding') ?? '');
  if (compressed === null || !takesBrotli) return context.body(bytes ?? new Uint8Array(brotliDecompressSync(compressed ?? '')));
  context.header('Content-Encoding', 'br');
  return context.body(compressed);
}

function sendText(context: Context, text: string, status: 404 | 503): Response {
  setHeaders(context, HEADERS);
  context.header('Cache-Control', 'no-store');
  return context.text(text, status);
}

function setHeaders(context: Context, headers: typeof HEADERS): void {
  for (const [name, value] of headers) context.header(name, value);
}
