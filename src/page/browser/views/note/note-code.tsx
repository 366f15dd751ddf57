import type { Result } from '../../operations.ts';
import { Failure } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { codeAddress } from '../../router.ts';
import { useOperation } from '../../use-operation.ts';

type Code = Result<'note_code'>;
type Anchor = Code['anchors'][number];

/** Says which code a note is about, what of it is gone, and what changed since the note was confirmed. Nothing for other notes. */
export function NoteCode({ path }: { readonly path: string }) {
  const { value, error, reload } = useOperation('note_code', { path }, ({ paths }) => paths?.includes(path) ?? true);
  if (value === null) return error === null ? null : <Failure error={error} reload={reload} />;
  if (value.anchors.length === 0) return null;
  return (
    <section class="note-code" aria-labelledby="note-code">
      <h2 id="note-code">Code this note is about</h2>
      <ul>
        {value.anchors.map((anchor) => (
          <li key={anchor.text}>
            <AnchorText anchor={anchor} />
            <AnchorState anchor={anchor} />
          </li>
        ))}
      </ul>
      <Changes code={value} />
      {value.notices.map((notice) => (
        <p class="quiet" key={notice}>
          {notice}
        </p>
      ))}
    </section>
  );
}

function AnchorText({ anchor: { text, path } }: { readonly anchor: Anchor }) {
  const code = <code dir="auto">{text}</code>;
  return path === undefined ? code : <a href={codeAddress(path)}>{code}</a>;
}

function AnchorState({ anchor: { state, moved_to: to, problem } }: { readonly anchor: Anchor }) {
  if (state === 'found') return null;
  if (state === 'moved' && to !== undefined)
    return (
      <span class="code-state">
        {' '}
        was renamed to{' '}
        <a href={codeAddress(to)}>
          <code dir="auto">{to}</code>
        </a>
      </span>
    );
  return (
    <span class="code-state is-gone"> {state === 'invalid' ? `is no path of the repository: ${problem ?? ''}` : 'matches nothing'}</span>
  );
}

function Changes({ code: { confirmed, changes = [], change_count: count = 0 } }: { readonly code: Code }) {
  if (confirmed === undefined) return null;
  return (
    <div class="notice">
      <p>
        The code changed since this note was{' '}
        {confirmed.how === 'verified'
          ? `confirmed by ${confirmed.by}`
          : confirmed.how === 'anchor'
            ? 'written for a commit'
            : 'last committed'}{' '}
        (<Time at={confirmed.at} />
        ):
      </p>
      <ul>
        {changes.map(({ path, kind, from, is_uncommitted: isUncommitted }) => (
          <li key={path}>
            <a href={codeAddress(path)}>
              <code dir="auto">{path}</code>
            </a>{' '}
            {kind}
            {from === undefined ? '' : `, before ${from}`}
            {isUncommitted === true ? ', not committed' : ''}
          </li>
        ))}
      </ul>
      {count > changes.length ? <p class="quiet">and {(count - changes.length).toLocaleString('en')} more</p> : null}
    </div>
  );
}
