import mermaid from 'mermaid';
import { endTime, startTime, watchBuiltins } from './deadline.ts';
import { COLOR_NAMES } from './messages.ts';
import type { DiagramStyle, Drawing, DrawRequest, FrameReply } from './messages.ts';

/**
 * The script of the frame that draws diagrams. The frame has an origin of its own and may fetch nothing: mermaid writes inline styles,
 * which the page's policy forbids. It answers each diagram as the text of an SVG, which the page shows as an image.
 */

const MAX_EDGES = 500;
/** Time for a diagram in this thread. */
const MAX_DRAW_MS = 4_000;
const MAX_ERROR_CHARACTERS = 500;
/** Settings that a diagram cannot change. */
const SECURE = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'fontFamily',
  'altFontFamily',
  'themeCSS',
  'dompurifyConfig',
  'arrowMarkerAbsolute',
  'deterministicIds',
];

/** Without a sandbox, as where this document is opened by itself, it has the origin of the page. Then it draws nothing. */
const hasOwnOrigin = origin === 'null';

watchBuiltins();
addEventListener('message', ({ source, data }: MessageEvent<DrawRequest>) => {
  if (source === parent && hasOwnOrigin) void answer(data);
});
reply({ kind: 'ready' });

async function answer({ id, source, style }: DrawRequest): Promise<void> {
  startTime(MAX_DRAW_MS);
  try {
    reply({ kind: 'drawn', id, drawing: await draw(`diagram-${id}`, source, style) });
  } catch (error) {
    endTime();
    const message = error instanceof Error ? error.message : String(error);
    reply({ kind: 'failed', id, message: message.slice(0, MAX_ERROR_CHARACTERS) });
  } finally {
    endTime();
    // What mermaid leaves of a diagram that failed.
    document.body.replaceChildren();
  }
}

async function draw(name: string, source: string, style: DiagramStyle): Promise<Drawing> {
  // Settings of a diagram that failed would break all later ones.
  mermaid.mermaidAPI.reset();
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    secure: SECURE,
    maxEdges: MAX_EDGES,
    suppressErrorRendering: true,
    fontFamily: style.font,
    theme: 'base',
    themeVariables: themeOf(style),
  });
  const { svg: markup } = await mermaid.render(name, source);
  const holder = document.createElement('div');
  holder.innerHTML = markup;
  const svg = holder.querySelector('svg');
  if (svg === null) throw new Error('Nothing was drawn.');
  const { width, height } = sizeOf(svg);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.style.maxWidth = '';
  disarm(svg);
  const title = svg.querySelector(':scope > title')?.textContent ?? svg.getAttribute('aria-roledescription') ?? '';
  // The serializer writes XML, which an image has to be; mermaid's own text is HTML.
  return { svg: new XMLSerializer().serializeToString(svg), width, height, title };
}

/** Removes what would act or fetch where somebody saves the picture and opens it: in the page, an image does neither. */
function disarm(svg: SVGSVGElement): void {
  for (const element of svg.querySelectorAll('script, iframe, object, embed, img, image, link, form, video, audio')) element.remove();
  for (const element of svg.querySelectorAll('*')) {
    for (const name of element.getAttributeNames())
      if (/^on|href$/i.test(name) && !element.getAttribute(name)?.startsWith('#')) element.removeAttribute(name);
  }
}

function sizeOf(svg: SVGSVGElement): { readonly width: number; readonly height: number } {
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (width > 0 && height > 0) return { width: Math.ceil(width), height: Math.ceil(height) };
  const [ownWidth, ownHeight] = ['width', 'height'].map((name) => Number.parseFloat(svg.getAttribute(name) ?? ''));
  return { width: Math.ceil(ownWidth || 600), height: Math.ceil(ownHeight || 400) };
}

function themeOf({ isDark, font, colors }: DiagramStyle): Record<string, string | boolean | Record<string, string>> {
  // Slices, sections and branches, each with text in the color of the paper.
  const scale = COLOR_NAMES.filter((name) => name.startsWith('agent-')).flatMap((name, at): [string, string][] => [
    [`pie${at + 1}`, colors[name]],
    [`cScale${at}`, colors[name]],
    [`cScaleLabel${at}`, colors.paper],
    [`git${at}`, colors[name]],
    [`gitBranchLabel${at}`, colors.paper],
  ]);
  return {
    ...Object.fromEntries(scale),
    pieSectionTextColor: colors.paper,
    pieOuterStrokeColor: colors['line-strong'],
    pieStrokeColor: colors.paper,
    darkMode: isDark,
    fontFamily: font,
    fontSize: '15px',
    background: colors.paper,
    primaryColor: colors['accent-soft'],
    primaryTextColor: colors.ink,
    primaryBorderColor: colors.accent,
    secondaryColor: colors.sunken,
    tertiaryColor: colors.surface,
    lineColor: colors['ink-soft'],
    textColor: colors.ink,
    noteBkgColor: colors['warn-soft'],
    noteTextColor: colors.ink,
    noteBorderColor: colors['line-strong'],
    edgeLabelBackground: colors.paper,
    packet: {
      startByteColor: colors['ink-soft'],
      endByteColor: colors['ink-soft'],
      labelColor: colors.ink,
      titleColor: colors.ink,
      blockStrokeColor: colors.accent,
      blockFillColor: colors['accent-soft'],
    },
    errorBkgColor: colors['bad-soft'],
    errorTextColor: colors.bad,
  };
}

function reply(message: FrameReply): void {
  // The frame has an opaque origin, and its parent is the page: `frame-ancestors 'self'`.
  parent.postMessage(message, '*');
}
