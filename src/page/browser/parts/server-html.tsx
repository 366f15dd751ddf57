import { useLayoutEffect, useRef } from 'preact/hooks';
import { addBase } from '../shell/vault-path.ts';
import { openLiveBlocks } from './live-blocks.ts';
import type { LiveBlocks } from './live-blocks.ts';
import { addCalloutIcons } from './media/callout-icons.ts';
import { showDiagrams } from './media/diagrams.ts';
import { openFile, showFiles } from './media/files.ts';
import { enlargePictures } from './media/picture-viewer.ts';
import { patchBlocks } from './patch-blocks.ts';

const MAX_CHARACTERS = 500;

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
  addBase(template.content);
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
    addCalloutIcons(target);
    addFootnoteTitles(target);
    const stops = [showFiles(target), showDiagrams(target)];
    return () => stops.forEach((stop) => stop());
  }, [html]);

  useLayoutEffect(() => {
    const target = element.current;
    if (target === null) return;
    const follow = (event: Event): void => {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-file]') : null;
      if (link === null) return;
      event.preventDefault();
      void openFile(link.dataset);
    };
    target.addEventListener('click', follow);
    const stop = enlargePictures(target);
    return () => {
      target.removeEventListener('click', follow);
      stop();
    };
  }, []);

  return <div ref={element} class={className} />;
}

/** Shows the text of each footnote on hovering over its number. */
function addFootnoteTitles(root: HTMLElement): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-footnote-ref]')) {
    const note = root.querySelector(`#${CSS.escape(`note-${link.hash.slice(1)}`)}`);
    const text = (note?.textContent ?? '').replaceAll(/[\s↩]+/gu, ' ').trim();
    if (text !== '') link.title = text.slice(0, MAX_CHARACTERS);
  }
}
