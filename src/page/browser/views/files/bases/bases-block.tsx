import { useState } from 'preact/hooks';
import type { LiveBlock } from '../../../parts/live-blocks.ts';
import { noteAddress } from '../../../router.ts';
import { BasesView } from './bases-view.tsx';

/** Shows a base inside a note. The view that is chosen lasts as long as the page of the note. */
export function BasesBlock({ block }: { readonly block: LiveBlock }) {
  const { path, source, view, context } = block;
  const [chosen, setChosen] = useState(view);
  const of = path === null ? { source } : { base: path };
  return (
    <section class="block bases-block" aria-label={path === null ? 'Base' : `Base ${path.replace(/^.*\//, '')}`}>
      <BasesView
        of={{ ...of, ...(context === null ? {} : { context }) }}
        view={chosen}
        choose={setChosen}
        href={path === null ? null : noteAddress(path, chosen ?? '')}
      />
    </section>
  );
}
