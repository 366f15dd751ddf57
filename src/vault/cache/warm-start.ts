import type { Graph } from '../../graph/graph.ts';
import type { VaultOptions } from '../vault-options.ts';

/** Reports the loading phase of a warm start, so that other work can wait for it. */
export interface WarmStart {
  /** Loads the cache. The phase ends at once if that is empty, and as soon as a note is read after all. */
  run(fill: () => Promise<void>): Promise<void>;
  /** Ends the phase: calls have been answered from the cache. */
  end(): void;
}

/** Creates the report of a warm start: `onHeavyWork` is called when it begins and when it is over, once each. */
export function createWarmStart(graph: Graph, onHeavyWork: VaultOptions['onHeavyWork']): WarmStart {
  let isUnderWay = false;
  const end = (): void => {
    if (isUnderWay) onHeavyWork?.('warm start', false);
    isUnderWay = false;
  };
  return {
    async run(fill) {
      isUnderWay = true;
      onHeavyWork?.('warm start', true);
      await fill();
      if (graph.size === 0) end();
      const stop = graph.onChange(() => {
        stop();
        end();
      });
    },
    end,
  };
}
