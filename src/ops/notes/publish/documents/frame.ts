import * as z from 'zod';
import { escapeHtml } from '../../../../render/syntax/html-tokens.ts';
import { relativeAddress } from '../site-addresses.ts';

/** The files of the program, below `assets/`. */
export const siteAssetNames = z.strictObject({
  early: z.string(),
  script: z.string(),
  style: z.string(),
  icon: z.string(),
  /** What draws diagrams: its script, and the document of the frame in which it does. */
  diagrams: z.string(),
  diagramFrame: z.string(),
});

/** What every page of a site has. */
export interface SiteFrame {
  /** The name of the site. */
  readonly title: string;
  /** The address at which the site will be, with a slash at its end; null if it is not known. */
  readonly baseUrl: string | null;
  readonly assets: Readonly<z.infer<typeof siteAssetNames>>;
  readonly hasTags: boolean;
}

/** One page of a site. */
export interface Document {
  /** The file, from the root of the site on. */
  readonly file: string;
  readonly title: string;
  readonly description: string;
  /** The content of `<main>`. */
  readonly main: string;
  readonly hasDiagrams: boolean;
  /** Whether it belongs into lists of search engines. */
  readonly isListed: boolean;
}

/**
 * What a browser may do on a page of the site: run its program, and show and load files beside it. Nothing in a note can run, and nothing is
 * fetched from elsewhere. `frame-ancestors` has no effect here: a host sets it in a header.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types roux',
].join('; ');
/** On a page with diagrams also: to draw them in a frame of its own origin, and to show the pictures that the frame gives. */
const DIAGRAM_POLICY = CONTENT_SECURITY_POLICY.replace("img-src 'self'", "img-src 'self' blob:; frame-src 'self'");

const VIEWS = [
  ['index.html', 'Home'],
  ['notes.html', 'All notes'],
  ['tags.html', 'Tags'],
  ['graph.html', 'Graph'],
] as const;

/** Returns the HTML of a page. All addresses in it are relative, so that the site works below any address and from a folder. */
export function renderDocument(frame: SiteFrame, { file, title, description, main, hasDiagrams, isListed }: Document): string {
  // A host shows this page at any address, where only absolute addresses lead anywhere.
  const isAnywhere = file === '404.html' && frame.baseUrl !== null;
  const to = (target: string): string =>
    escapeHtml(isAnywhere ? new URL(relativeAddress('', target), frame.baseUrl ?? '').pathname : relativeAddress(file, target));
  const fullTitle = title === frame.title ? title : `${title} – ${frame.title}`;
  const url = frame.baseUrl === null || !isListed ? null : siteUrl(frame.baseUrl, file);
  const meta = (name: string, value: string, key = 'property'): string =>
    value === '' ? '' : `<meta ${key}="${name}" content="${escapeHtml(value)}" />\n`;
  const views = VIEWS.filter(([target]) => target !== 'tags.html' || frame.hasTags)
    .map(([target, name]) => `<li><a href="${to(target)}"${target === file ? ' aria-current="page"' : ''}>${name}</a></li>`)
    .join('\n');
  const [policy, frameAddress, diagramScript] = hasDiagrams
    ? [
        DIAGRAM_POLICY,
        ` data-diagram-frame="${to(`assets/${frame.assets.diagramFrame}`)}"`,
        `<script defer src="${to(`assets/${frame.assets.diagrams}`)}"></script>\n`,
      ]
    : [CONTENT_SECURITY_POLICY, '', ''];
  return `<!doctype html>
<html lang="en" data-root="${to('')}" data-page="${escapeHtml(file)}"${frameAddress}>
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="referrer" content="no-referrer" />
<title>${escapeHtml(fullTitle)}</title>
${meta('description', description, 'name')}${meta('og:title', title)}${meta('og:site_name', frame.title)}${meta('og:type', isListed ? 'article' : 'website')}${meta('og:description', description)}${url === null ? '' : `${meta('og:url', url)}<link rel="canonical" href="${escapeHtml(url)}" />\n`}<link rel="icon" type="image/svg+xml" href="${to(`assets/${frame.assets.icon}`)}" />
<script src="${to(`assets/${frame.assets.early}`)}"></script>
<link rel="stylesheet" href="${to(`assets/${frame.assets.style}`)}" />
<script type="module" src="${to(`assets/${frame.assets.script}`)}"></script>
${diagramScript}</head>
<body>
<div id="page" class="site">
<a class="skip" href="#main">Skip to content</a>
<header class="navigation">
<div class="navigation-top">
<a class="vault-name" href="${to('index.html')}"><bdi>${escapeHtml(frame.title)}</bdi></a>
<div id="site-buttons" class="site-buttons"></div>
</div>
<div class="navigation-links" id="navigation-links">
<nav aria-label="Site">
<ul>
${views}
</ul>
</nav>
<div id="site-tree" class="site-tree"></div>
<div id="site-foot" class="navigation-foot"></div>
</div>
</header>
<main id="main" tabindex="-1">
${main}
</main>
</div>
<div id="site-layers"></div>
</body>
</html>
`;
}

/** Returns the address of a page on the web. */
export function siteUrl(baseUrl: string, file: string): string {
  return new URL(relativeAddress('', file === 'index.html' ? '' : file), baseUrl).href;
}
