import { useState } from 'preact/hooks';
import { callOperation } from '../../../api.ts';
import type { Result } from '../../../operations.ts';
import { usePageTitle } from '../../../parts/page-title.ts';
import { ServerHtml } from '../../../parts/server-html.tsx';
import { Failure, Loading } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { noteAddress } from '../../../router.ts';
import { canWrite } from '../../../session.ts';
import { useOperation } from '../../../use-operation.ts';
import { Properties } from '../properties.tsx';
import { askToRestore, restoreDeleted } from './restore.tsx';
import type { VersionName } from './versions.ts';

type Version = Result<'page_version'>;

/** Shows a note as it was, and offers to restore it. */
export function VersionPage({ name }: { readonly name: VersionName }) {
  const { value, error, reload } = useOperation('page_version', { ...name });
  usePageTitle(value === null ? 'An earlier version' : `${value.title} (earlier version)`);
  if (value !== null) return <Shown name={name} version={value} />;
  if (error === null) return <Loading what="the version" />;
  if (error.code !== 'NODE_NOT_FOUND') return <Failure error={error} reload={reload} />;
  return (
    <section class="empty">
      <h1>This version is no longer stored</h1>
      <p>Texts before a change are kept for 30 days.</p>
      <p>
        <a class="button" href={noteAddress(name.path)}>
          Open the note as it is now
        </a>
      </p>
    </section>
  );
}

function Shown({ name, version }: { readonly name: VersionName; readonly version: Version }) {
  const [more, setMore] = useState<readonly Version[]>([]);
  const [failed, setFailed] = useState<Error | null>(null);
  const next = [version, ...more].at(-1)?.next_offset;
  const showMore = (): void => {
    callOperation('page_version', { ...name, offset: next }).then((part) => setMore([...more, part]), setFailed);
  };
  return (
    <article class="note">
      <header class="note-head">
        <h1 dir="auto">{version.title}</h1>
        <div class="notice version-notice" role="note">
          <span>
            {version.is_current ? (
              'This is the note as it is now.'
            ) : (
              <>
                An earlier version: the note {name.side} a change that was made <Time at={version.timestamp} />.
              </>
            )}
          </span>
          <VersionButtons name={name} version={version} />
        </div>
        <Properties path={null} properties={version.properties} isOpen={false} />
      </header>
      {version.notices.map((notice) => (
        <p class="notice" key={notice}>
          {notice}
        </p>
      ))}
      {[version, ...more].map(({ html }, at) => (
        <ServerHtml key={at} html={html} class="prose" />
      ))}
      {failed === null ? null : <Failure error={failed} />}
      {next === undefined ? null : (
        <button type="button" onClick={showMore}>
          Show more of this version
        </button>
      )}
    </article>
  );
}

function VersionButtons({ name, version: { now, is_current: isCurrent } }: { readonly name: VersionName; readonly version: Version }) {
  const present = useOperation('read_page', now === null ? null : { path: now }).value;
  const etag = present?.kind === 'note' ? present.etag : null;
  const restore = (): void => {
    if (now === null) void restoreDeleted(name);
    else if (etag !== null) void askToRestore(name, { etag, when: `${name.side} this change` });
  };
  return (
    <span class="version-buttons">
      {now === null ? null : (
        <a class="button" href={noteAddress(now)}>
          Show the note as it is now
        </a>
      )}
      {isCurrent || !canWrite() ? null : (
        <button type="button" class="primary" disabled={now !== null && etag === null} onClick={restore}>
          {now === null ? 'Restore this note' : 'Restore this version…'}
        </button>
      )}
    </span>
  );
}
