import { useEffect, useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import type { Backlink, NotePage } from './page-shapes.ts';
import { UnlinkedMentions } from './unlinked-mentions.tsx';

/** Lists the notes that link here, with the lines of the links, and on demand the notes that only mention this one. */
export function Backlinks({ page }: { readonly page: NotePage }) {
  const [more, setMore] = useState<readonly Backlink[]>([]);
  const [isOpen, setOpen] = useState(false);
  const count = page.backlink_count;
  useEffect(() => setMore([]), [page.etag, count]);
  const shown = [...page.backlinks, ...more];
  const showMore = async (): Promise<void> => {
    const next = await callOperation('page_backlinks', { path: page.path, offset: shown.length });
    setMore([...more, ...next.backlinks]);
  };
  return (
    <section class="note-section" aria-labelledby="backlinks">
      <h2 id="backlinks">
        {count === 0 ? 'No note links here' : count === 1 ? 'One note links here' : `${count.toLocaleString('en')} notes link here`}
      </h2>
      <Sources sources={shown} />
      {shown.length < count ? (
        <button type="button" class="no-print" onClick={() => void showMore().catch(() => undefined)}>
          Show more
        </button>
      ) : null}
      <details class="no-print" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Mentions without a link</summary>
        {isOpen ? <UnlinkedMentions path={page.path} /> : null}
      </details>
    </section>
  );
}

function Sources({ sources }: { readonly sources: readonly Backlink[] }) {
  if (sources.length === 0) return null;
  return (
    <ul class="backlinks">
      {sources.map(({ path, title, lines, properties, more }) => (
        <li key={path}>
          <NoteLink path={path} title={title} class="backlink-title" />
          {properties.length === 0 ? null : <span class="quiet"> in {properties.join(', ')}</span>}
          {lines.map(({ line, text, start, end }) => (
            <p class="backlink-line" dir="auto" key={line}>
              <MarkedText text={text} marks={[[start, end]]} />
            </p>
          ))}
          {more === undefined ? null : <p class="quiet">and {more} more</p>}
        </li>
      ))}
    </ul>
  );
}
