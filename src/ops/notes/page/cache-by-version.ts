import type { GraphView } from '../../../graph/view.ts';

/** Returns a function that builds a value and caches it until the graph changes. */
export function cacheByVersion<T>(graph: Pick<GraphView, 'version'>, build: () => T): () => T {
  let known: { readonly version: number; readonly value: T } | null = null;
  return () => {
    if (known?.version !== graph.version) known = { version: graph.version, value: build() };
    return known.value;
  };
}
