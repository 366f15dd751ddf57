import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, ask } from '../../api.ts';
import { lastChange } from '../../live.ts';
import { access } from '../../session.ts';
import { applyAnswer, isNews } from './map-answer.ts';
import type { MapAnswer, MapNode } from './map-answer.ts';

/** What is asked of the server: what changes it begins the map anew. */
export interface MapQuery {
  readonly around: string | null;
  readonly depth: number;
  readonly attachments: boolean;
}

/** The map, kept in step with the vault. */
export interface AskedMap {
  /** Null until the first answer. */
  readonly nodes: ReadonlyMap<number, MapNode> | null;
  readonly layout: MapAnswer['layout'];
  readonly leftOut: number;
  readonly error: ApiError | null;
  /** For which question this is the answer. */
  readonly key: string;
  readonly again: () => void;
}

/** How long changes gather before the map is asked for again, and how often one that is being laid out is. */
const SETTLE_MS = 250;
const FOLLOW_MS = 900;
/** A large map takes longer to send and to draw. */
const FOLLOW_LARGE_MS = 2_500;
const LARGE = 30_000;

type State = Omit<AskedMap, 'again'>;

const NOTHING: State = { nodes: null, layout: { state: 'computing', done: 0 }, leftOut: 0, error: null, key: '' };

/** Asks for the map, then for what changed of it whenever the vault does, and while it is being laid out. */
export function useMap({ around, depth, attachments }: MapQuery): AskedMap {
  const [state, setState] = useState<State>(NOTHING);
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
        const answer = await ask<MapAnswer>('graph_map', args, { signal: control.signal });
        if (isOver()) return;
        since = answer.map;
        const isNew = isNews(answer);
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
        if (layout.state === 'computing') soon(known.size > LARGE ? FOLLOW_LARGE_MS : FOLLOW_MS);
      } catch (error) {
        if (isOver()) return;
        const told = error instanceof ApiError ? error : new ApiError(String(error), { code: 'ERROR', status: 0 });
        setState((before) => ({ ...(before.key === key ? before : NOTHING), error: told, key }));
      }
    };
    const soon = (ms: number): void => {
      timer ??= setTimeout(() => void next(), ms);
    };
    void next();

    let seen = lastChange.peek();
    const stop = effect(() => {
      const change = lastChange.value;
      if (change === null || change === seen || access.peek() !== 'granted') return;
      seen = change;
      soon(SETTLE_MS);
    });
    return () => {
      stop();
      control.abort();
      clearTimeout(timer);
    };
  }, [key, round]);

  return { ...state, again: () => setRound((count) => count + 1) };
}
