import { usePages } from '../../use-pages.ts';
import { formatCount } from '../../parts/files/count.ts';
import { NoteRows } from '../../parts/files/note-rows.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading, ShowMore } from '../../parts/states.tsx';
import { tagAddress } from '../../router.ts';
import type { ViewComponent } from '../view.ts';

/** The notes with a tag, or all tags if the address names none. */
export const TagView: ViewComponent = ({ address }) => {
  const asked = address.path.replace(/^\/tag\/?/, '');
  const { pages, error, hasMore, isLoading, more, reload } = usePages('tag_page', { tag: asked }, ({ next_cursor: next }) => next);
  const [first] = pages;
  const tag = first?.tag ?? asked;
  usePageTitle(asked === '' ? 'Tags' : `#${tag}`);
  if (first === undefined) return error === null ? <Loading what="the tag" /> : <Failure error={error} reload={reload} />;
  const parents = tag.split('/').slice(0, -1);
  return (
    <section class="tag-view">
      {asked === '' ? null : (
        <p class="note-folder">
          <a href="/tag">All tags</a>
          {parents.map((name, depth) => (
            <span key={depth}>
              {' / '}
              <a href={tagAddress(parents.slice(0, depth + 1).join('/'))} dir="auto">
                {name}
              </a>
            </span>
          ))}
        </p>
      )}
      <h1 dir="auto">{asked === '' ? 'Tags' : `#${tag}`}</h1>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {asked === '' && first.subtag_total === 0 ? (
        <Empty title="No tags yet">Write #like-this in a note, or add a property “tags”. The tag appears here at once.</Empty>
      ) : null}
      {first.is_there ? null : (
        <Empty title="No note has this tag">
          <a href="/tag">See all tags</a>
        </Empty>
      )}
      {first.subtags.length === 0 ? null : (
        <ul class="subtags" aria-label={asked === '' ? 'Tags' : 'Nested tags'}>
          {first.subtags.map((each) => (
            <li key={each.tag}>
              <a class="tag" href={tagAddress(each.tag)} dir="auto">
                #{asked === '' ? each.tag : each.name}
              </a>{' '}
              <span class="quiet">{each.count.toLocaleString('en')}</span>
            </li>
          ))}
          {first.subtag_total > first.subtags.length ? (
            <li class="quiet">and {(first.subtag_total - first.subtags.length).toLocaleString('en')} more, in the sidebar</li>
          ) : null}
        </ul>
      )}
      {first.total === 0 ? null : <p class="quiet">{formatCount(first.total, 'note')}, the last edited first</p>}
      <NoteRows notes={pages.flatMap(({ notes }) => notes)} />
      <ShowMore {...{ hasMore, isLoading, more }} />
    </section>
  );
};
