import type { Address } from '../../router.ts';
import { NoteList } from './note-list.tsx';
import { NotePageView } from './note-page.tsx';

/** One note as a page to read; without a path, the notes that there are. */
export function NoteView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/note\/?/, '');
  return path === '' ? <NoteList address={address} /> : <NotePageView key={path} path={path} />;
}
