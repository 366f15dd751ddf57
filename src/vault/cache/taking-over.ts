import type { Graph } from '../../graph/graph.ts';

/** The beginning of a warm start, told to whoever wants to spare it work. */
export interface TakingOver {
  /** Takes over what was kept; it is over at once where that is nothing, and as soon as a note is read after all. */
  run(fill: () => Promise<void>): Promise<void>;
  /** What was kept has been answered from. */
  end(): void;
}

/** `tell` hears `true` when it begins and `false` when it is over, once each. */
export function openTakingOver(graph: Graph, tell: (isUnderWay: boolean) => void = () => undefined): TakingOver {
  let isUnderWay = false;
  const end = (): void => {
    if (isUnderWay) tell(false);
    isUnderWay = false;
  };
  return {
    async run(fill) {
      isUnderWay = true;
      tell(true);
      await fill();
      if (graph.size === 0) end();
      graph.onChange(end);
    },
    end,
  };
}
