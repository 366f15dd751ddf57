import { useEffect, useRef, useState } from 'preact/hooks';
import { callOperation } from '../api.ts';
import { lastChange } from '../live.ts';
import type { Result } from '../operations.ts';
import { onPathChange } from '../router.ts';
import { ServerHtml } from './server-html.tsx';

interface Shown {
  readonly link: HTMLElement;
  readonly page: Result<'preview_page'>;
}

/** Delays before a preview is shown, and before it is hidden after the pointer has left. */
const SHOW_MS = 300;
const HIDE_MS = 200;
/** Bounds the cache of previews. */
const MAX_CACHED_PREVIEWS = 50;

/** Shows a preview of the note while the pointer or the focus is on a link with `data-note`. Esc closes it. */
export function Previews() {
  const [shown, setShown] = useState<Shown | null>(null);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const cache = new Map<string, Shown['page']>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let target: HTMLElement | null = null;
    const hide = (): void => {
      target = null;
      clearTimeout(timer);
      setShown(null);
    };
    const show = async (link: HTMLElement, path: string, heading: string): Promise<void> => {
      const key = `${path}#${heading}`;
      try {
        const page = cache.get(key) ?? (await callOperation('preview_page', { path, ...(heading === '' ? {} : { heading }) }));
        if (cache.size > MAX_CACHED_PREVIEWS) cache.clear();
        cache.set(key, page);
        if (target === link) setShown({ link, page });
      } catch {
        // Ignore the error: opening the link reports it.
      }
    };
    const enter = (event: Event): void => {
      const at = event.target instanceof Element ? event.target : null;
      if (at !== null && box.current?.contains(at) === true) return clearTimeout(timer);
      const link = at?.closest<HTMLAnchorElement>('a[data-note]') ?? null;
      if (link === target) return link === null ? undefined : clearTimeout(timer);
      clearTimeout(timer);
      if (link === null) {
        if (target !== null) timer = setTimeout(hide, HIDE_MS);
        return;
      }
      target = link;
      const heading = link.hash === '' ? '' : safeDecode(link.hash.slice(1));
      const path = link.dataset['note'] ?? '';
      timer = setTimeout(() => void show(link, path, heading), SHOW_MS);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    // A touch opens the link itself.
    const over = (event: PointerEvent): void => {
      if (event.pointerType === 'mouse') enter(event);
    };
    const focus = (event: FocusEvent): void => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) enter(event);
    };
    document.addEventListener('pointerover', over);
    document.addEventListener('focusin', focus);
    document.addEventListener('keydown', escape);
    document.addEventListener('pointerdown', hide);
    const stopClearing = lastChange.subscribe(() => cache.clear());
    const stop = onPathChange(hide);
    return () => {
      document.removeEventListener('pointerover', over);
      document.removeEventListener('focusin', focus);
      document.removeEventListener('keydown', escape);
      document.removeEventListener('pointerdown', hide);
      stopClearing();
      stop();
      hide();
    };
  }, []);

  useEffect(() => {
    if (shown !== null && box.current !== null) place(box.current, shown.link);
  }, [shown]);

  if (shown === null) return null;
  return (
    <div class="preview" ref={box} role="note" aria-label={`Preview of ${shown.page.title}`}>
      <p class="preview-title" dir="auto">
        {shown.page.title}
      </p>
      {shown.page.folder === '' ? null : (
        <p class="quiet" dir="auto">
          {shown.page.folder}
        </p>
      )}
      <ServerHtml isExcerpt html={shown.page.html} class={`prose prose-small${beginsWithTitle(shown.page) ? ' without-title' : ''}`} />
    </div>
  );
}

/** Returns whether the HTML begins with the title, which the preview already shows. */
export function beginsWithTitle({ html, title }: Shown['page']): boolean {
  return /^<h1[^>]*>([^<]*)<\/h1>/.exec(html)?.[1] === title;
}

/** Places the preview below the link, or above it if there is more room. */
function place(box: HTMLElement, link: HTMLElement): void {
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
  const isBelow = at.bottom + height + 8 < innerHeight || at.top < height + 8;
  box.style.left = `${left}px`;
  box.style.top = `${isBelow ? at.bottom + 6 : at.top - height - 6}px`;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
