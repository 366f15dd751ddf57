import { effect, signal } from '@preact/signals';
import type { SentState } from '../../faces/http/api/live.ts';
import { ApiError, fetchSession, hasPartAnswers, request } from './api.ts';
import { access } from './session.ts';

/** A change of files in the vault. `paths` is null if any file may have changed, for example after a reconnect. */
export interface Change {
  readonly paths: readonly string[] | null;
  readonly isListChanged: boolean;
  /** Only more is known than before, as all notes are read now. */
  readonly isRead?: boolean;
}

/** The latest change; a new object for each one. */
export const lastChange = signal<Change | null>(null);
export const vaultState = signal<SentState | null>(null);
/** State of the event stream. The server sends a heartbeat every 15 s. */
export const connection = signal<'opening' | 'open' | 'gone'>('opening');

/** Silence after which the connection counts as lost: two and a half heartbeats. */
const SILENCE_MS = 40_000;
const RETRY_MS = [300, 500, 1000, 2000, 3000, 5000] as const;

/** Subscribes to changes of the vault until the page is closed, and reconnects when the connection is lost. */
export function startLive(): void {
  void followEvents();
  // An answer may come after the news that all is read, or before anything is known of that.
  effect(() => {
    if (!hasPartAnswers.value || vaultState.value?.isReady !== true) return;
    hasPartAnswers.value = false;
    lastChange.value = { paths: null, isListChanged: true, isRead: true };
  });
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
    // The first loss is often a restart of the server: report it only if reconnecting fails too.
    if (failures > 0 || !wasOpen) connection.value = 'gone';
    await pause(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 5000);
    failures += 1;
  }
}

/** Reads events until the stream ends or is silent for `SILENCE_MS`. */
async function readEvents(opened: () => void): Promise<void> {
  const control = new AbortController();
  // After signing out nothing more of the vault is received.
  const stopFollowing = access.subscribe((state) => {
    if (state === 'needed') control.abort();
  });
  let rest = '';
  let watch = setTimeout(() => control.abort(), SILENCE_MS);
  try {
    const response = await request('/api/events', { headers: { Accept: 'text/event-stream' }, signal: control.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (reader === undefined) return;
    opened();
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
    stopFollowing();
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
    if (kind === 'state') {
      const before = vaultState.value;
      const now = (vaultState.value = JSON.parse(data) as SentState);
      // Earlier answers lack what was read since, or show others as connected.
      if (before !== null && ((isPartly(before) && !isPartly(now)) || workIn(before) !== workIn(now)))
        lastChange.value = { paths: null, isListChanged: true };
    }
    if (kind === 'change') {
      const { paths, more = 0, isListChanged } = JSON.parse(data) as { paths: readonly string[]; more?: number; isListChanged: boolean };
      lastChange.value = { paths: more > 0 ? null : paths, isListChanged };
    }
  } catch {
    // Skip a malformed event: the next one causes the same refresh.
  }
}

/** The version of what the board shows besides files: claims, and who is connected. */
function workIn(state: SentState): number | undefined {
  return 'work' in state ? state.work : undefined;
}

/** Whether notes or the search index are still being read, so that answers are about a part of them. */
function isPartly(state: SentState): boolean {
  return !state.isReady || state.search === 'building';
}

/** Resolves when the page has a token, or may not need one. */
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

/** Waits, or returns early when the browser goes online or the page becomes visible. */
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
