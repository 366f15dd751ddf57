import { useEffect, useState } from 'preact/hooks';
import { fetchFile, openPdf } from '../../api.ts';
import { useOperation } from '../../use-operation.ts';
import { formatBytes } from '../../parts/files/count.ts';
import { UsedIn } from '../../parts/files/used-in.tsx';
import { SearchFor } from '../../parts/fields/search-for.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { download } from '../../parts/media/files.ts';
import { mediumOf } from '../../parts/media/medium.ts';
import type { Medium } from '../../parts/media/medium.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { folderAddress } from '../../router.ts';
import type { ViewComponent } from '../view.ts';

/** A larger file is only shown when asked for: the browser would hold all of it. */
const MAX_SHOWN_BYTES = 50_000_000;

/** Shows a file that is no note: a picture, sound or film itself, and of everything what it is and which notes use it. */
export const AttachmentView: ViewComponent = ({ address }) => {
  const path = address.path.replace(/^\/file\/?/, '');
  return path === '' ? (
    <Empty title="No file chosen">
      <a href="/">Go to Home</a>
    </Empty>
  ) : (
    <AttachmentPage key={path} path={path} />
  );
};

function AttachmentPage({ path }: { readonly path: string }) {
  const { value, error, reload } = useOperation('file_page', { path });
  usePageTitle(path.replace(/^.*\//, ''));
  if (value === null) {
    if (error === null) return <Loading what="the file" />;
    if (error.code !== 'NODE_NOT_FOUND') return <Failure error={error} reload={reload} />;
    return (
      <section class="empty">
        <h1>File not found</h1>
        <p>
          There is no file at <code dir="auto">{path}</code>. It may have been deleted or moved. If it comes back, it appears here.
        </p>
        <SearchFor text={path.replace(/^.*\//, '')} />
      </section>
    );
  }
  const { name, folder, size, updated } = value;
  const medium = mediumOf(name);
  return (
    <article class="file-view">
      {folder === '' ? null : (
        <p class="note-folder" dir="auto">
          <a href={folderAddress(folder)}>{folder}</a>
        </p>
      )}
      <h1 dir="auto">{name}</h1>
      <p class="note-facts quiet">
        <span>{formatBytes(size)}</span>
        <span>
          Changed <Time at={updated} />
        </span>
      </p>
      {medium === null || medium === 'pdf' ? null : <Media key={updated} path={path} medium={medium} size={size} />}
      <p class="file-actions">
        {medium === 'pdf' ? (
          <button type="button" class="primary" onClick={() => void openPdf(path, 1)}>
            Open the PDF
          </button>
        ) : null}
        <button type="button" onClick={() => void download(path)}>
          Download
        </button>
      </p>
      <UsedIn file={value} />
    </article>
  );
}

/** Fetches a file and shows it. `src` cannot carry the token. */
function Media({ path, medium, size }: { readonly path: string; readonly medium: Exclude<Medium, 'pdf'>; readonly size: number }) {
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isWanted, setWanted] = useState(size <= MAX_SHOWN_BYTES);
  useEffect(() => {
    if (!isWanted) return;
    const control = new AbortController();
    let made: string | null = null;
    fetchFile(path, control.signal).then(
      (blob) => setUrl((made = URL.createObjectURL(blob))),
      (reason: unknown) => {
        if (!control.signal.aborted) setError(reason instanceof Error ? reason : new Error(String(reason)));
      },
    );
    return () => {
      control.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [path, isWanted]);
  if (error !== null) return <Failure error={error} />;
  if (!isWanted)
    return (
      <p>
        <button type="button" onClick={() => setWanted(true)}>
          Show the file ({formatBytes(size)})
        </button>
      </p>
    );
  if (url === null) return <Loading what="the file" />;
  const name = path.replace(/^.*\//, '');
  return (
    <figure>
      {medium === 'image' ? (
        <img
          src={url}
          alt={name}
          data-drawing={/\.svg$/i.test(name) ? '' : undefined}
          onError={() => setError(new Error('The picture cannot be shown. It may be damaged.'))}
        />
      ) : null}
      {medium === 'audio' ? <audio src={url} controls aria-label={name} /> : null}
      {medium === 'video' ? <video src={url} controls aria-label={name} /> : null}
    </figure>
  );
}
