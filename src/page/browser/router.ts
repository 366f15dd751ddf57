import { effect, signal } from '@preact/signals';
import { base, withBase } from './shell/vault-path.ts';
import { access } from './session.ts';

/** The address of the page: everything that a view needs to restore its state after a reload. */
export interface Address {
  /** Decoded path, `/note/plans/a b.md`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Decoded fragment without `#`. */
  readonly hash: string;
}

export const address = signal<Address>(readAddress());

/** State that is stored in an entry of the browser's history. */
interface Visit {
  readonly scroll: number;
}

let cancelScroll: (() => void) | null = null;
/** Translates an address of the page into that of a file; null where one page serves all addresses. */
let toOuter: ((href: string) => string) | null = null;

/** Lets every address lead to a file of its own, as those of a published site do. */
export function useFileAddresses(translate: (href: string) => string): void {
  toOuter = translate;
}

/** Returns an address of the page as it is outside of the page, such as in a new tab. */
export function outerAddress(href: string): string {
  return toOuter?.(href) ?? withBase(href);
}

/** Navigates to an address of the page. `replace` updates the current history entry, for typing and sliders. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const next = new URL(outerAddress(href), location.href);
  if (toOuter !== null && next.pathname !== location.pathname) return location.assign(next);
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

/** Sets `address` from the browser's location. Returns whether the path changed. */
function syncAddress(): boolean {
  const { path } = address.value;
  address.value = readAddress();
  return address.value.path !== path;
}

/** Returns the address of a note, or of a heading or block in it. */
export function noteAddress(path: string, heading = ''): string {
  return `/note/${encodePath(path)}${heading === '' ? '' : `#${encodeURIComponent(heading)}`}`;
}

/** Returns the address of the note of a day. One that is not there can be created there. */
export function dayAddress({
  path,
  day,
  is_there: isThere,
}: {
  readonly path: string;
  readonly day: string;
  readonly is_there: boolean;
}): string {
  return `${noteAddress(path)}${isThere ? '' : `?day=${day}`}`;
}

/** Returns the address of the list of the notes in a folder. */
export function folderAddress(folder: string): string {
  return `/note?folder=${encodeURIComponent(folder)}`;
}

/** Returns the address of a search. */
export function searchAddress(query: string): string {
  return `/search?q=${encodeURIComponent(query)}`;
}

/** Returns the path of the note that the address names; null if it names none. */
export function notePath(): string | null {
  return /^\/note\/(.+)$/s.exec(address.value.path)?.[1] ?? null;
}

/** Returns the address of a file that is no note. */
export function fileAddress(path: string): string {
  return `/file/${encodePath(path)}`;
}

/** Returns the address of a tag, given without `#`. */
export function tagAddress(tag: string): string {
  return `/tag/${encodePath(tag)}`;
}

/** Returns the address of the notes about a path of code. */
export function codeAddress(path: string): string {
  return path === '' ? '/code' : `/code/${encodePath(path)}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Returns the current address with changed query parameters; null and '' remove one. */
export function withQuery(values: Readonly<Record<string, string | null>>): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname.slice(base.length) + url.search + url.hash;
}

/** Handles clicks on links of the page and the browser's back and forward, and saves and restores scroll positions. */
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
  return {
    path: decode(location.pathname.slice(base.length)),
    query: new URLSearchParams(location.search),
    hash: decode(location.hash.slice(1)),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An incomplete escape sequence, for example from a truncated address.
    return text;
  }
}

function findPageLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download') || !link.hasAttribute('href')) return null;
  // The page of another vault of the server is loaded anew.
  return link.origin === location.origin && link.pathname.startsWith(`${base}/`) ? link : null;
}

function saveScroll(): void {
  if (cancelScroll !== null) return;
  history.replaceState({ ...(history.state as Visit | null), scroll: Math.round(scrollY) } satisfies Visit, '');
}

/** Scrolls to `top` as soon as the content is tall enough. */
function restoreScroll(top: number, isElsewhere = false): void {
  scrollWhenReady(() => {
    scrollTo(0, top);
    return Math.abs(scrollY - top) < 2;
  }, isElsewhere);
}

/** Scrolls to the target of the fragment as soon as it exists. */
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
 * Finds the target of a fragment, or returns null. Ids in notes have a prefix, so that they cannot collide with those of the page. The
 * slug of a heading has to match the one that the server creates (`src/render/syntax/anchors.ts`).
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
  return document.getElementById(`note-${name}`) ?? document.getElementById(`note-${slug}`) ?? findLine(name);
}

/** Finds the task in a line of the note, by the fragment `line-13`, and shows it for a moment. The first line is 1. */
function findLine(name: string): HTMLElement | null {
  const [, number] = /^line-(\d{1,7})$/.exec(name) ?? [];
  if (number === undefined) return null;
  const item = document.querySelector<HTMLElement>(`[data-line="${Number(number) - 1}"]`)?.closest('li') ?? null;
  item?.animate([{ backgroundColor: 'var(--mark)' }, {}], { duration: 2_500, easing: 'ease-in' });
  return item;
}

/**
 * Repeats `attempt` as the page grows, until it returns true, the user scrolls, or everything has been loaded for three seconds. With
 * `isElsewhere`, the page still shows the previous view, so the first attempt waits for the next layout.
 */
function scrollWhenReady(attempt: () => boolean, isElsewhere: boolean): void {
  cancelScroll?.();
  if (!isElsewhere && attempt()) return;
  // Called once after the next layout, and then on each change of size.
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

/** Returns the address of the page of a file. Bases and canvases have pages like notes. */
export function addressOfFile(path: string): string {
  return /\.(?:md|base|canvas)$/i.test(path) ? noteAddress(path) : fileAddress(path);
}
