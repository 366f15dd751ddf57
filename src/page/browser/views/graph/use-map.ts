import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, callOperation, isStillReading } from '../../api.ts';
import { lastChange } from '../../live.ts';
import { access } from '../../session.ts';
import { applyAnswer, hasChanges } from './map-answer.ts';
import type { MapAnswer, MapNode } from './map-answer.ts';

/** A query for the map. A different query starts with a new map. */
export interface MapQuery {
  readonly around: string | null;
  readonly depth: number;
  readonly attachments: boolean;
}

/** The map, updated as the vault changes. */
export interface MapState {
  /** Null until the first answer. */
  readonly nodes: ReadonlyMap<number, MapNode> | null;
  readonly layout: MapAnswer['layout'];
  readonly leftOut: number;
  readonly error: ApiError | null;
  /** The query that this is the answer to. */
  readonly key: string;
  readonly retry: () => void;
}

/** Pause after a change before the map is requested, and the interval of requests while it is being laid out. */
const SETTLE_MS = 250;
const FOLLOW_MS = 900;
/** A large map takes longer to send and to draw. */
const FOLLOW_LARGE_MS = 2_500;
const LARGE_MAP_NODES = 30_000;

type State = Omit<MapState, 'retry'>;

const EMPTY_STATE: State = { nodes: null, layout: { state: 'computing', done: 0 }, leftOut: 0, error: null, key: '' };

/** Fetches the map, then its changes whenever the vault changes and while it is being laid out. */
export function useMap({ around, depth, attachments }: MapQuery): MapState {
  const [state, setState] = useState<State>(EMPTY_STATE);
  const [round, setRound] = useState(0);
  const key = JSON.stringify([around, depth, attachments]);

  useEffect(() => {
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since: string | null = null;
    let known: ReadonlyMap<number, MapNode> = new Map();
    const isOver = (): boolean => control.signal.aborted;

    const next = async (): Promise<void> => {
      timer = undefined;
      const args = { attachments, ...(around === null ? {} : { around, depth }), ...(since === null ? {} : { since }) };
      try {
        const answer = await callOperation('graph_map', args, { signal: control.signal });
        if (isOver()) return;
        since = answer.map;
        const isNew = hasChanges(answer);
        if (isNew) known = applyAnswer(known, answer);
        const { layout, left_out: leftOut } = answer;
        const nodes = known;
        setState((before) =>
          !isNew &&
          before.key === key &&
          before.layout.state === layout.state &&
          before.layout.done === layout.done &&
          before.error === null
            ? before
            : { nodes, layout, leftOut, error: null, key },
        );
        if (layout.state === 'computing') soon(known.size > LARGE_MAP_NODES ? FOLLOW_LARGE_MS : FOLLOW_MS);
      } catch (error) {
        if (isOver()) return;
        const apiError = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
        if (isStillReading(apiError)) {
          soon(FOLLOW_LARGE_MS);
          setState((before) => (before.error === null ? before : { ...before, error: null }));
        } else setState((before) => ({ ...(before.key === key ? before : EMPTY_STATE), error: apiError, key }));
      }
    };
    const soon = (ms: number): void => {
      timer ??= setTimeout(() => void next(), ms);
    };
    void next();

    let viewport = lastChange.peek();
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === viewport || access.peek() !== 'granted') return;
      viewport = change;
      soon(SETTLE_MS);
    });
    return () => {
      stop();
      control.abort();
      clearTimeout(timer);
    };
  }, [key, round]);

  return { ...state, retry: () => setRound((count) => count + 1) };
}
