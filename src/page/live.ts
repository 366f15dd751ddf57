import { effect, signal } from '@preact/signals';
import { ApiError, fetchSession, request } from './api.ts';
import { access } from './session.ts';

/** Files of the vault that changed. `paths` null: the page was cut off meanwhile, and anything may have. */
export interface Change {
  readonly paths: readonly string[] | null;
  readonly isListChanged: boolean;
}

/** How the vault stands, as the server says. */
export interface VaultState {
  readonly isReady: boolean;
  readonly notes: number;
  readonly search: 'building' | 'ready' | 'off';
  readonly meaning: { readonly state: 'off' | 'loading' | 'ready' | 'failed'; readonly done: number };
  readonly warnings: readonly string[];
}

/** The last change that was heard of; each one is a new value. */
export const lastChange = signal<Change | null>(null);
export const vaultState = signal<VaultState | null>(null);
/** Whether the server is heard: it beats every 15 s. */
export const connection = signal<'opening' | 'open' | 'gone'>('opening');

/** Silence after which the server counts as gone: two beats and a half. */
const SILENCE_MS = 40_000;
const RETRY_MS = [300, 500, 1000, 2000, 3000, 5000] as const;

/** Follows the vault for as long as the page lives, and comes back by itself whenever it is cut off. */
export function startLive(): void {
  void followEvents();
}

async function followEvents(): Promise<void> {
  let failures = 0;
  let wasOpen = false;
  for (;;) {
    await waitForAccess();
    try {
      await fetchSession();
      if (access.value !== 'granted') continue;
      await readEvents(() => {
        failures = 0;
        connection.value = 'open';
        if (wasOpen) lastChange.value = { paths: null, isListChanged: true };
        wasOpen = true;
      });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) continue;
    }
    // One cut is a restart; it is told when the second try fails too.
    if (failures > 0 || !wasOpen) connection.value = 'gone';
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 5000);
    failures += 1;
  }
}

/** Reads events until the stream ends or falls silent. */
async function readEvents(opened: () => void): Promise<void> {
  const control = new AbortController();
  const response = await request('/api/events', { headers: { Accept: 'text/event-stream' }, signal: control.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  opened();
  let rest = '';
  let watch = setTimeout(() => control.abort(), SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(watch);
      watch = setTimeout(() => control.abort(), SILENCE_MS);
      const blocks = (rest + value.replaceAll('\r\n', '\n')).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) handleEvent(block);
    }
  } finally {
    clearTimeout(watch);
    control.abort();
  }
}

function handleEvent(block: string): void {
  const lines = block.split('\n');
  const kind = lines
    .find((line) => line.startsWith('event:'))
    ?.slice(6)
    .trim();
  const data = lines
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trimStart())
    .join('\n');
  if (data === '') return;
  try {
    if (kind === 'state') vaultState.value = JSON.parse(data) as VaultState;
    if (kind === 'change') {
      const { paths, more = 0, isListChanged } = JSON.parse(data) as { paths: readonly string[]; more?: number; isListChanged: boolean };
      lastChange.value = { paths: more > 0 ? null : paths, isListChanged };
    }
  } catch {
    // A broken event is passed over: what it would have told is asked again with the next one.
  }
}

/** Resolves when the page may ask at all. */
function waitForAccess(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (access.value === 'needed' || access.value === 'refused') return;
      queueMicrotask(() => {
        stop();
        resolve();
      });
    });
  });
}

/** Waits, but no longer than until the browser is online or the page is looked at again. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      document.removeEventListener('visibilitychange', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
    document.addEventListener('visibilitychange', end);
  });
}
