import { useLayoutEffect, useRef } from 'preact/hooks';
import { fetchFile } from '../api.ts';
import { openLiveBlocks } from './live-blocks.ts';
import type { LiveBlocks } from './live-blocks.ts';
import { showDiagrams } from './media/diagrams.ts';
import { patchBlocks } from './patch-blocks.ts';

/** The only way to create HTML from text, used for sanitized HTML of the server. The browser enforces it (`trusted-types roux`). */
const policy = (
  globalThis as {
    trustedTypes?: { createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string } };
  }
).trustedTypes?.createPolicy('roux', { createHTML: (text) => text });

/** Parses HTML that the server rendered. Nothing in it runs or is loaded. */
export function parseServerHtml(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = (policy?.createHTML(html) ?? html) as string;
  return template.content;
}

/**
 * Shows HTML that the server rendered. On a change, unchanged blocks keep their nodes, and with them focus, folds and scroll position.
 * Images of the vault are fetched by script, because `src` cannot carry the token. `isExcerpt`: bases, canvases and searches stay links
 * and code.
 */
export function ServerHtml(props: { readonly html: string; readonly class?: string; readonly isExcerpt?: boolean }) {
  const { html, class: className, isExcerpt = false } = props;
  const element = useRef<HTMLDivElement>(null);
  const shown = useRef<string | null>(null);
  const blocks = useRef<LiveBlocks | null>(null);

  useLayoutEffect(() => {
    const target = element.current;
    if (target === null || shown.current === html) return;
    patchBlocks(target, parseServerHtml(html));
    shown.current = html;
    if (!isExcerpt) (blocks.current ??= openLiveBlocks(target)).update();
  }, [html]);
  useLayoutEffect(() => () => blocks.current?.close(), []);

  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const control = new AbortController();
    for (const image of target.querySelectorAll<HTMLImageElement>('img[data-file]:not([src])')) void showImage(image, control.signal);
    return () => control.abort();
  }, [html]);

  useLayoutEffect(() => (element.current === null ? undefined : showDiagrams(element.current)), [html]);

  useLayoutEffect(() => {
    const target = element.current;
    const follow = (event: Event): void => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-file]') : null;
      if (link === null) return;
      event.preventDefault();
      void download(link.dataset['file'] ?? '');
    };
    target?.addEventListener('click', follow);
    return () => target?.removeEventListener('click', follow);
  }, []);

  return <div ref={element} class={className} />;
}

async function showImage(image: HTMLImageElement, signal: AbortSignal): Promise<void> {
  try {
    const url = URL.createObjectURL(await fetchFile(image.dataset['file'] ?? '', signal));
    // The image keeps its data after it has loaded.
    const release = (): void => URL.revokeObjectURL(url);
    image.addEventListener('load', release, { once: true });
    image.addEventListener('error', release, { once: true });
    image.src = url;
  } catch {
    if (!signal.aborted) image.dataset['state'] = 'missing';
  }
}

/** Downloads a file of the vault. It is never opened in the page's origin. */
export async function download(path: string): Promise<void> {
  const url = URL.createObjectURL(await fetchFile(path));
  const link = document.createElement('a');
  link.href = url;
  link.download = path.replace(/^.*\//, '');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
