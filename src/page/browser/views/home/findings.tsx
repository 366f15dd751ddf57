import type { Result } from '../../operations.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';

/** What needs attention, each a link to the notes concerned; nothing if nothing does. */
export function Findings({ page: { health, wanted } }: { readonly page: Result<'home_page'> }) {
  const findings = [
    {
      kind: 'unreadable',
      count: health.unreadable,
      text: formatCount(health.unreadable, 'note that could not be read in full', 'notes that could not be read in full'),
    },
    { kind: 'ambiguous', count: health.ambiguous, text: formatCount(health.ambiguous, 'ambiguous link') },
    { kind: 'unresolved', count: health.unresolved, text: formatCount(health.unresolved, 'unresolved link') },
    { kind: 'stale', count: health.stale, text: formatCount(health.stale, 'note out of date', 'notes out of date') },
  ].filter(({ count }) => count > 0);
  if (findings.length === 0) return null;
  return (
    <section aria-labelledby="health">
      <h2 id="health">Needs attention</h2>
      <ul class="findings">
        {findings.map(({ kind, text }) => (
          <li key={kind}>
            <a href={`/attention?kind=${kind}`}>{text}</a>
          </li>
        ))}
      </ul>
      {wanted.length === 0 ? null : (
        <p class="quiet">
          Most linked and not written yet:{' '}
          {wanted.map(({ linkpath }, index) => (
            <>
              {index === 0 ? '' : ', '}
              <NoteLink path={linkpath}>{linkpath}</NoteLink>
            </>
          ))}
        </p>
      )}
    </section>
  );
}
