import { UsedIn } from '../../parts/files/used-in.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { folderAddress, navigate, noteAddress } from '../../router.ts';
import type { Address } from '../../router.ts';
import { useOperation } from '../../use-operation.ts';
import { BasesView } from './bases/bases-view.tsx';
import { CanvasView } from './canvas/canvas-view.tsx';

/** Shows a file of the vault that is no note: a base, whose view the fragment of the address names, or a canvas. */
export function FileView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/(?:note|file)\//, '');
  return <FilePage key={path} path={path} view={address.hash === '' ? null : address.hash} />;
}

function FilePage({ path, view }: { readonly path: string; readonly view: string | null }) {
  const slash = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, Math.max(0, slash)), path.slice(slash + 1).replace(/\.(?:base|canvas)$/i, '')];
  usePageTitle(name);
  const { value } = useOperation('file_page', { path });
  return (
    <article class="file-page">
      {folder === '' ? null : (
        <p class="note-folder" dir="auto">
          <a href={folderAddress(folder)}>{folder}</a>
        </p>
      )}
      <h1 dir="auto">{name}</h1>
      {/\.canvas$/i.test(path) ? (
        <CanvasView path={path} />
      ) : (
        <BasesView of={{ base: path }} view={view} choose={(chosen) => navigate(noteAddress(path, chosen))} />
      )}
      {value === null ? null : <UsedIn file={value} />}
    </article>
  );
}
