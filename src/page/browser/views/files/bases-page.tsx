import { NoteFolder } from './note-folder.tsx';
import { usePageTitle } from '../../parts/page-title.ts';
import { address, navigate, noteAddress } from '../../router.ts';
import { BasesView } from './bases/bases-view.tsx';

/** Shows a `.base` file. The fragment of the address names the view. */
export function BasesPage({ path }: { readonly path: string }) {
  const name = path.replace(/^.*\//, '').replace(/\.base$/i, '');
  usePageTitle(name);
  const view = address.value.hash;
  return (
    <article class="bases-page">
      <NoteFolder path={path} />
      <h1 dir="auto">{name}</h1>
      <BasesView of={{ base: path }} view={view === '' ? null : view} choose={(chosen) => navigate(noteAddress(path, chosen))} />
    </article>
  );
}
