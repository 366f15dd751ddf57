import type { Graph } from '../../graph/graph.ts';

/** Reports the loading phase of a warm start, so that other work can wait for it. */
export interface WarmStart {
  /** Loads the cache. The phase ends at once if that is empty, and as soon as a note is read after all. */
  run(fill: () => Promise<void>): Promise<void>;
  /** Ends the phase: calls have been answered from the cache. */
  end(): void;
}

/** Creates the report of a warm start. `report` is called with true when it begins and with false when it is over, once each. */
export function createWarmStart(graph: Graph, report: (isUnderWay: boolean) => void = () => undefined): WarmStart {
  let isUnderWay = false;
  const end = (): void => {
    if (isUnderWay) report(false);
    isUnderWay = false;
  };
  return {
    async run(fill) {
      isUnderWay = true;
      report(true);
      await fill();
      if (graph.size === 0) end();
      graph.onChange(end);
    },
    end,
  };
}
