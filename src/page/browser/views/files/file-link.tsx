import { download } from '../../parts/server-html.tsx';
import { noteAddress } from '../../router.ts';

/** Whether the page has a view for a file that is no note. */
export function hasView(path: string): boolean {
  return /\.(?:base|canvas)$/i.test(path);
}

/** A link to a file that is no note: to its view, or to save it. */
export function FileLink({ path, label }: { readonly path: string; readonly label: string }) {
  if (hasView(path)) {
    return (
      <a href={noteAddress(path)} dir="auto">
        {label}
      </a>
    );
  }
  const onClick = (event: Event): void => {
    event.preventDefault();
    void download(path);
  };
  return (
    <a href={`/api/file/${path.split('/').map(encodeURIComponent).join('/')}`} class="file" onClick={onClick} dir="auto">
      {label}
    </a>
  );
}
