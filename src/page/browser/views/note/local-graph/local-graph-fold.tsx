import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { readStored, store } from '../../../stored.ts';
import { Loading } from '../../../parts/states.tsx';

let LocalGraph: FunctionComponent<{ readonly path: string }> | null = null;

/** The notes around a note as a graph, folded until somebody opens it. The browser remembers that, and only then loads the graph. */
export function LocalGraphFold({ path }: { readonly path: string }) {
  const [isOpen, setOpen] = useState(() => readStored('local-graph') === true);
  const [state, setState] = useState<'loading' | 'loaded' | 'failed'>(LocalGraph === null ? 'loading' : 'loaded');
  useEffect(() => {
    if (!isOpen || LocalGraph !== null) return;
    import('./local-graph.tsx').then(
      (loaded) => {
        LocalGraph = loaded.LocalGraph;
        setState('loaded');
      },
      () => setState('failed'),
    );
  }, [isOpen]);
  return (
    <details
      class="local-graph"
      open={isOpen}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
        store('local-graph', event.currentTarget.open);
      }}
    >
      <summary>
        <h2>Local graph</h2>
      </summary>
      {!isOpen ? null : LocalGraph !== null ? (
        <LocalGraph path={path} />
      ) : state === 'failed' ? (
        <p class="quiet">The graph could not be loaded. Load the page again.</p>
      ) : (
        <Loading what="the graph" />
      )}
    </details>
  );
}
