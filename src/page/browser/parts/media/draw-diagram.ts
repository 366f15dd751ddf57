import { shownTheme } from '../../theme.ts';
import { COLOR_NAMES, TOO_LONG } from './frame/messages.ts';
import type { ColorName, DiagramStyle, Drawing, DrawRequest, FrameReply } from './frame/messages.ts';

/** Where the frame's document is: in a published site, beside the page. */
const FRAME_URL = document.documentElement.dataset['diagramFrame'] ?? '/frames/diagram';
const MAX_CHARACTERS = 20_000;
/** Mermaid takes some 5 seconds for as many lines. Where a browser runs the frame in the page's own process, the page waits as long. */
const MAX_LINES = 500;
/** Mind maps take as long for fewer. */
const MAX_MINDMAP_LINES = 150;
/** Time for a diagram, and for the first one of a frame, which includes loading mermaid. */
const MAX_DRAW_MS = 8_000;
const MAX_LOAD_MS = 30_000;
/** Time after which an unused frame is removed: mermaid takes some 30 MB. */
const IDLE_MS = 60_000;
const MAX_CACHED = 100;

/** A frame that draws diagrams. It is made for the first one. */
interface Frame {
  readonly ready: Promise<void>;
  /** Draws a diagram. One at a time. */
  draw(request: DrawRequest): Promise<Drawing>;
  close(): void;
}

let frame: Frame | null = null;
let nextId = 1;
let idleTimer: ReturnType<typeof setTimeout> | undefined;
/** Diagrams are drawn one after another, so that the time limit is that of one. */
let queue: Promise<unknown> = Promise.resolve();
const cache = new Map<string, Promise<Drawing>>();

/** Draws a diagram in the colours of the page. Rejects with a message to the reader if it cannot be drawn. */
export function drawDiagram(source: string): Promise<Drawing> {
  const maxLines = /^[ \t]{0,20}mindmap\b/m.test(source) ? MAX_MINDMAP_LINES : MAX_LINES;
  if (source.length > MAX_CHARACTERS || source.split('\n').length > maxLines)
    return Promise.reject(new Error(`It is longer than ${maxLines} lines or ${MAX_CHARACTERS.toLocaleString('en')} characters.`));
  const style = readStyle();
  const key = JSON.stringify([style, source]);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const drawn = queue.then(() => drawInFrame(source, style));
  queue = drawn.catch(() => undefined);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, drawn);
  return drawn;
}

async function drawInFrame(source: string, style: DiagramStyle): Promise<Drawing> {
  clearTimeout(idleTimer);
  const opened = (frame ??= openFrame());
  try {
    await within(opened.ready, MAX_LOAD_MS, 'The program that draws diagrams could not be loaded.');
    return await within(opened.draw({ id: nextId++, source, style }), MAX_DRAW_MS, TOO_LONG);
  } catch (error) {
    if (error instanceof TimeoutError) closeFrame();
    throw error;
  } finally {
    idleTimer = setTimeout(closeFrame, IDLE_MS);
  }
}

function closeFrame(): void {
  frame?.close();
  frame = null;
}

function openFrame(): Frame {
  const element = document.createElement('iframe');
  // Scripts run in an origin of their own: they reach neither the page, nor its storage, nor the server's data.
  element.setAttribute('sandbox', 'allow-scripts');
  element.className = 'diagram-frame';
  element.title = 'Diagrams';
  element.inert = true;
  element.ariaHidden = 'true';
  let take: (reply: FrameReply) => void = () => undefined;
  const listen = ({ source, data }: MessageEvent<FrameReply>): void => {
    if (source !== null && source === element.contentWindow) take(data);
  };
  addEventListener('message', listen);
  const ready = new Promise<void>((resolve) => {
    take = ({ kind }) => kind === 'ready' && resolve();
  });
  element.src = FRAME_URL;
  document.body.append(element);
  return {
    ready,
    draw: (request) =>
      new Promise((resolve, reject) => {
        take = (reply) => {
          if (reply.kind === 'ready' || reply.id !== request.id) return;
          if (reply.kind === 'drawn') resolve(readDrawing(reply.drawing));
          else reject(new Error(String(reply.message)));
        };
        element.contentWindow?.postMessage(request, '*');
      }),
    close() {
      removeEventListener('message', listen);
      element.remove();
    },
  };
}

/** Takes nothing from the frame but texts and sizes. */
function readDrawing({ svg, width, height, title }: Drawing): Drawing {
  const size = (value: number): number => Math.min(Math.max(Math.ceil(Number(value)) || 1, 1), 20_000);
  return { svg: String(svg), width: size(width), height: size(height), title: String(title) };
}

class TimeoutError extends Error {}

async function within<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function readStyle(): DiagramStyle {
  const tokens = getComputedStyle(document.documentElement);
  const colors = Object.fromEntries(COLOR_NAMES.map((name) => [name, tokens.getPropertyValue(`--${name}`).trim()]));
  return {
    isDark: shownTheme.peek() === 'dark',
    font: tokens.getPropertyValue('--font').trim(),
    colors: colors as Record<ColorName, string>,
  };
}
