import { effect, signal } from '@preact/signals';
import { access } from './session.ts';

/** Where the page is: everything a view needs to show the same again after a reload. */
export interface Address {
  /** Decoded path, `/note/plans/a b.md`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Decoded fragment without `#`. */
  readonly hash: string;
}

export const address = signal<Address>(readAddress());

/** Where on the page a visit to an address left off; kept with the entry of the browser's history. */
interface Visit {
  readonly scroll: number;
}

let cancelScroll: (() => void) | null = null;

/** Goes to an address of the page. `replace`: the entry in the browser's history is changed, for what is typed and moved. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const next = new URL(href, location.href);
  if (next.href === location.href && !replace) return scrollToHash();
  if (replace) {
    history.replaceState(history.state, '', next);
  } else {
    saveScroll();
    history.pushState({ scroll: 0 } satisfies Visit, '', next);
  }
  const isElsewhere = syncAddress();
  if (replace) return;
  if (next.hash !== '') scrollToHash(isElsewhere);
  else if (isElsewhere) restoreScroll(0);
}

/** Makes the address what the browser shows; whether another page is named than before. */
function syncAddress(): boolean {
  const { path } = address.value;
  address.value = readAddress();
  return address.value.path !== path;
}

/** The address of a note, with a heading or block in it. */
export function noteAddress(path: string, heading = ''): string {
  const parts = path.split('/').map(encodeURIComponent).join('/');
  return `/note/${parts}${heading === '' ? '' : `#${encodeURIComponent(heading)}`}`;
}

/** The same address with other values in its query; null and '' take one out. */
export function withQuery(values: Readonly<Record<string, string | null>>): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search + url.hash;
}

/** Follows clicks on links within the page, the browser's back and forward, and where each visit was scrolled to. */
export function startRouter(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', (event) => {
    const visit = event.state as Visit | null;
    restoreScroll(visit?.scroll ?? 0, syncAddress());
  });
  addEventListener('pagehide', saveScroll);
  addEventListener('scrollend', saveScroll);
  for (const kind of ['wheel', 'touchstart', 'keydown', 'pointerdown']) {
    addEventListener(kind, () => cancelScroll?.(), { passive: true });
  }
  document.addEventListener('click', (event) => {
    const link = findPageLink(event);
    if (link === null) return;
    event.preventDefault();
    navigate(link.href);
  });
  const visit = history.state as Visit | null;
  if (visit !== null && typeof visit.scroll === 'number') restoreScroll(visit.scroll);
  else if (location.hash !== '') scrollToHash();
}

/** Calls back when the path changes, not when a query or a fragment does. */
export function onPathChange(listener: (path: string) => void): () => void {
  let last = address.value.path;
  return effect(() => {
    const { path } = address.value;
    if (path === last) return;
    last = path;
    listener(path);
  });
}

function readAddress(): Address {
  return { path: decode(location.pathname), query: new URLSearchParams(location.search), hash: decode(location.hash.slice(1)) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Half of an escape, as people cut addresses: shown as it is.
    return text;
  }
}

function findPageLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || !link.hasAttribute('href')) return null;
  return link.origin === location.origin ? link : null;
}

function saveScroll(): void {
  if (cancelScroll !== null) return;
  history.replaceState({ ...(history.state as Visit | null), scroll: Math.round(scrollY) } satisfies Visit, '');
}

/** Scrolls there as soon as what is loaded is long enough; see `follow`. */
function restoreScroll(top: number, isElsewhere = false): void {
  scrollWhenReady(() => {
    scrollTo(0, top);
    return Math.abs(scrollY - top) < 2;
  }, isElsewhere);
}

/** Scrolls to what the fragment names, as soon as it is there. */
function scrollToHash(isElsewhere = false): void {
  const name = decode(location.hash.slice(1));
  if (name === '') return;
  scrollWhenReady(() => {
    const target = findAnchor(name);
    target?.scrollIntoView({ block: 'start' });
    return target !== null;
  }, isElsewhere);
}

/**
 * What a fragment of the address names in the page: ids of notes are prefixed, so that none stands for a part of the page. A heading is
 * named as links name it; its id is what the server makes of that (`src/render/syntax/anchors.ts`).
 */
export function findAnchor(name: string): HTMLElement | null {
  if (name === 'main') return document.getElementById(name);
  const slug = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replace(/[\p{P}\p{S}\s]+/gu, ' ')
    .trim()
    .replaceAll(' ', '-');
  return document.getElementById(`note-${name}`) ?? document.getElementById(`note-${slug}`);
}

/**
 * Tries until it succeeds, the person scrolls, or everything was loaded three seconds ago. `isElsewhere`: what is still on the page is
 * left, so it begins with what is drawn next.
 */
function scrollWhenReady(attempt: () => boolean, isElsewhere: boolean): void {
  cancelScroll?.();
  if (!isElsewhere && attempt()) return;
  // It is called once for what is drawn next, and then whenever that grows.
  const observer = new ResizeObserver(() => {
    if (attempt()) stop();
  });
  const stop = (): void => {
    observer.disconnect();
    clearTimeout(timer);
    cancelScroll = null;
  };
  const giveUp = (): void => {
    if (access.value === 'granted' && document.querySelector('.loading') === null) stop();
    else timer = setTimeout(giveUp, 3000);
  };
  let timer = setTimeout(giveUp, 3000);
  cancelScroll = stop;
  observer.observe(document.body);
}
