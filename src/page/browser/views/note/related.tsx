import { useEffect, useRef, useState } from 'preact/hooks';
import { whenNear } from '../../parts/media/near-screen.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { Failure } from '../../parts/states.tsx';
import { useOperation } from '../../use-operation.ts';

/** Lists notes about the same that are not linked yet. They are looked for when the list comes near the visible part of the page. */
export function Related({ path }: { readonly path: string }) {
  const element = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    return whenNear(element.current, () => setNear(true), '200px');
  }, []);
  const { value, error, reload } = useOperation('related_notes', isNear ? { path } : null, ({ paths }) => paths?.includes(path) ?? true);
  return (
    <section class="note-section no-print" aria-labelledby="related" ref={element}>
      <h2 id="related">Related notes</h2>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {value === null ? null : value.notes.length === 0 ? (
        <p class="quiet">No other note is similar to this one.</p>
      ) : (
        <ul class="related">
          {value.notes.map(({ path: to, title, folder, heading }) => (
            <li key={to}>
              <NoteLink path={to} title={title} {...(heading === undefined ? {} : { heading })} />
              <span class="quiet">
                <bdi>{[heading, folder].filter((part) => part !== undefined && part !== '').join(' · ')}</bdi>
              </span>
            </li>
          ))}
        </ul>
      )}
      {value?.by === 'words' && value.notes.length > 0 ? (
        <p class="quiet">Found by the words of the title: search by meaning is off, or not ready yet.</p>
      ) : null}
    </section>
  );
}
