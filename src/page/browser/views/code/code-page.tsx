import { formatCount } from '../../parts/files/count.ts';
import { NoteLink } from '../../parts/note-link.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { codeAddress } from '../../router.ts';
import { useOperation } from '../../use-operation.ts';
import type { ViewComponent } from '../view.ts';

/** The notes about a file or folder of the repository around the vault; all notes about code if the address names none. */
export const CodeView: ViewComponent = ({ address }) => {
  const asked = address.path.replace(/^\/code\/?/, '');
  const { value, error, reload } = useOperation('code_page', { path: asked });
  usePageTitle(asked === '' ? 'Code' : asked);
  if (value === null) return error === null ? <Loading what="the notes" /> : <Failure error={error} reload={reload} />;
  const { path, is_there: isThere, notes, total } = value;
  const names = path.split('/');
  return (
    <section class="code-view">
      {path === '' ? null : (
        <p class="note-folder">
          <a href={codeAddress('')}>All code</a>
          {names.slice(0, -1).map((name, depth) => (
            <span key={depth}>
              {' / '}
              <a href={codeAddress(names.slice(0, depth + 1).join('/'))} dir="auto">
                {name}
              </a>
            </span>
          ))}
        </p>
      )}
      <h1 dir="auto">{path === '' ? 'Notes about code' : <code>{names.at(-1)}</code>}</h1>
      {error === null ? null : <Failure error={error} reload={reload} />}
      {isThere ? null : <p class="notice">Nothing is at this path of the repository now.</p>}
      {total === 0 ? (
        <Empty title={path === '' ? 'No note is about code yet' : 'No note is about this'}>
          A property <code>applies_to</code> with paths of the repository, such as <code>src/auth/**</code>, says which code a note is
          about.
        </Empty>
      ) : (
        <>
          <p class="quiet">{formatCount(total, 'note')}</p>
          <ul class="backlinks">
            {notes.map(({ path: note, title, anchors }) => (
              <li key={note}>
                <NoteLink path={note} title={title} class="backlink-title" />
                <p class="backlink-line">
                  {anchors.map((anchor) => (
                    <span key={anchor} class="code-anchor">
                      <code dir="auto">{anchor}</code>
                    </span>
                  ))}
                </p>
              </li>
            ))}
          </ul>
          {notes.length < total ? <p class="quiet">and {(total - notes.length).toLocaleString('en')} more</p> : null}
        </>
      )}
    </section>
  );
};
