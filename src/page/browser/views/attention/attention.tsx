import { useState } from 'preact/hooks';
import { usePages } from '../../use-pages.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading, ShowMore } from '../../parts/states.tsx';
import type { Result } from '../../operations.ts';
import { withQuery } from '../../router.ts';
import { session } from '../../session.ts';
import type { ViewComponent } from '../view.ts';
import { KINDS, isKind } from './kinds.ts';
import type { Kind } from './kinds.ts';
import { WholeCheck } from './whole-check.tsx';

/** What needs attention in the vault: a kind of findings, each with the notes concerned, and on request a check of everything. */
export const AttentionView: ViewComponent = ({ address }) => {
  const asked = address.query.get('kind') ?? '';
  const kind = isKind(asked) ? asked : 'unresolved';
  const [isChecking, setChecking] = useState(false);
  const { pages, error, hasMore, isLoading, more, reload } = usePages('attention_list', { kind }, ({ next_cursor: next }) => next);
  usePageTitle('Needs attention');
  const [first] = pages;
  return (
    <section class="attention">
      <h1>Needs attention</h1>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {first === undefined ? (
        error === null ? (
          <Loading what="the findings" />
        ) : null
      ) : (
        <>
          <nav class="attention-kinds" aria-label="Kinds of findings">
            {KINDS.map(({ name, title }) => (
              <a key={name} class="button" href={withQuery({ kind: name })} aria-current={name === kind ? 'page' : undefined}>
                {title} <span class="quiet">{first.counts[name].toLocaleString('en')}</span>
              </a>
            ))}
          </nav>
          <Findings kind={kind} findings={pages.flatMap(({ findings }) => findings)} />
          <ShowMore {...{ hasMore, isLoading, more }} />
        </>
      )}
      {session.value?.folders === null ? (
        <section class="whole-check">
          <h2>Check everything</h2>
          <p class="quiet">
            Reads every note and also looks for headings that links do not find, unused files, unfinished merges, and notes with the same
            text. This can take a while in a large vault.
          </p>
          {isChecking ? (
            <WholeCheck />
          ) : (
            <button type="button" onClick={() => setChecking(true)}>
              Check all notes
            </button>
          )}
        </section>
      ) : null}
    </section>
  );
};

function Findings({ kind, findings }: { readonly kind: Kind; readonly findings: Result<'attention_list'>['findings'] }) {
  const found = KINDS.find(({ name }) => name === kind);
  if (findings.length === 0) return <Empty title={found?.none ?? ''} />;
  return (
    <>
      <p class="quiet">{found?.help}</p>
      <ul class="attention-list">
        {findings.map(({ text, notes, note_count: count }, index) => (
          <li key={index}>
            <p class="attention-text" dir="auto">
              {kind === 'unresolved' ? <NoteLink path={text}>{text}</NoteLink> : kind === 'stale' ? `Since ${text}` : text}
            </p>
            <p class="attention-notes">
              {notes.map(({ path, title }) => (
                <NoteLink key={path} path={path} title={title} />
              ))}
              {count > notes.length ? <span class="quiet">and {formatCount(count - notes.length, 'more', 'more')}</span> : null}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
