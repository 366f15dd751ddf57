import { openPdf } from '../../api.ts';
import { formatCount } from '../../parts/files/count.ts';
import { MarkedText } from '../../parts/marked-text.tsx';
import { download } from '../../parts/media/files.ts';
import { noteAddress, withQuery } from '../../router.ts';
import { CreateNoteButton } from '../note/edit/new-note.tsx';
import type { Hit, HitGroup, SearchResults } from './search-options.ts';

/** Shows the groups of hits, and completions of the query. `active`: index of the option that the arrow keys selected, or -1. */
export function Hits(props: {
  readonly found: SearchResults;
  readonly groups: readonly HitGroup[];
  readonly active: number;
  readonly query: string;
  readonly isFirst: boolean;
  readonly choose: (query: string) => void;
}) {
  const { found, groups, active, query, isFirst, choose } = props;
  const { completions, files, warnings } = found;
  const isEmpty = files.length === 0 && !groups.some(({ key }) => key !== 'similar');
  let number = completions.length;
  return (
    <>
      {isEmpty ? <NoResults query={query} hasSimilar={groups.length > 0} /> : null}
      {found.is_unsure && !isEmpty ? <p class="notice">Nothing fits well. These come nearest.</p> : null}
      <div role="listbox" id="hits" aria-label="Found">
        {completions.length === 0 ? null : (
          <div role="group" aria-label="Suggestions" class="completions">
            {completions.map((completion, index) => (
              <div
                role="option"
                id={`hit-${index}`}
                key={completion.query}
                class="completion"
                aria-selected={index === active}
                onClick={() => choose(completion.query)}
              >
                <bdi>{completion.label}</bdi>
                {completion.count === undefined ? null : <span class="quiet"> {completion.count.toLocaleString('en')}</span>}
              </div>
            ))}
          </div>
        )}
        {groups.map(({ key, label, hits, all }) => (
          <div role="group" key={key} aria-label={label} class="hits">
            {groups.length === 1 && key === 'note' ? null : (
              <h2 class="hits-kind" role="presentation">
                {label}
                {all === undefined || all <= hits.length ? null : (
                  <span class="quiet">
                    {' '}
                    {hits.length} of {all.toLocaleString('en')}
                  </span>
                )}
              </h2>
            )}
            {hits.map((hit) => {
              const at = number;
              number += 1;
              return <HitRow key={hit.path} hit={hit} id={`hit-${at}`} isActive={at === active} />;
            })}
          </div>
        ))}
      </div>
      {files.length === 0 ? null : <Files files={files} />}
      {warnings.map((warning) => (
        <p class="quiet" key={warning}>
          {warning}
        </p>
      ))}
      <Pages found={found} isFirst={isFirst} />
    </>
  );
}

function Pages({ found, isFirst }: { readonly found: SearchResults; readonly isFirst: boolean }) {
  const { total, kind, is_lower_bound: isLowerBound } = found;
  return (
    <p class="pages">
      {total === 0 ? null : (
        <span class="quiet">
          {isLowerBound ? 'At least ' : ''}
          {formatCount(total, kind === 'note' ? 'note' : 'result')}
        </span>
      )}
      {isFirst ? null : (
        <a class="button" href={withQuery({ from: null })}>
          First page
        </a>
      )}
      {found.next_offset === undefined ? null : (
        <a class="button" href={withQuery({ from: String(found.next_offset) })}>
          Next page
        </a>
      )}
    </p>
  );
}

/** Pages of PDFs and pictures that the query finds. */
function Files({ files }: { readonly files: SearchResults['files'] }) {
  return (
    <section class="hits">
      <h2 class="hits-kind">Files</h2>
      {files.map(({ path, page, snippet, marks }) => (
        <a
          class="hit"
          key={`${path} ${page}`}
          href={`/api/file/${path.split('/').map(encodeURIComponent).join('/')}${page === undefined ? '' : `#page=${page}`}`}
          onClick={(event: Event) => {
            event.preventDefault();
            // A browser without a viewer would save it under a name that means nothing.
            void (page === undefined || !navigator.pdfViewerEnabled ? download(path) : openPdf(path, page));
          }}
        >
          <span class="hit-head">
            <span class="hit-title" dir="auto">
              {path.replace(/^.*\//, '')}
            </span>
            <span class="quiet">
              <bdi>
                {[path.slice(0, Math.max(0, path.lastIndexOf('/'))), page === undefined ? '' : `page ${page}`]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </bdi>
            </span>
          </span>
          <span class="hit-snippet" dir="auto">
            <MarkedText text={snippet} marks={marks} />
          </span>
        </a>
      ))}
    </section>
  );
}

function HitRow({ hit, id, isActive }: { readonly hit: Hit; readonly id: string; readonly isActive: boolean }) {
  const { path, title, title_marks: titleMarks, folder, type, snippet, marks } = hit;
  return (
    <a role="option" class="hit" id={id} href={noteAddress(path)} aria-selected={isActive}>
      <span class="hit-head">
        <span class="hit-title" dir="auto">
          <MarkedText text={title} marks={titleMarks} />
        </span>
        <span class="quiet">
          <bdi>{[folder, type].filter((part) => part !== null && part !== '').join(' · ')}</bdi>
        </span>
      </span>
      {snippet === '' ? null : (
        <span class="hit-snippet" dir="auto">
          <MarkedText text={snippet} marks={marks} />
        </span>
      )}
    </a>
  );
}

function NoResults({ query, hasSimilar }: { readonly query: string; readonly hasSimilar: boolean }) {
  const isNarrow = /[":[\]()-]/.test(query);
  return (
    <section class="empty">
      <h2>{hasSimilar ? 'No note has these words' : 'Nothing found'}</h2>
      <p>
        {hasSimilar
          ? 'These are close in meaning.'
          : isNarrow
            ? 'No note matches every condition. Remove one, or check the words in quotes.'
            : 'No note has any of these words. Try part of a word, or another word.'}
      </p>
      {isNarrow ? null : <CreateNoteButton title={query.trim()} label={`Create the note “${query.trim()}”`} />}
    </section>
  );
}
