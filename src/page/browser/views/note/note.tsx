import type { Address } from '../../router.ts';
import { NoteList } from './note-list.tsx';
import { NotePageView } from './note-page.tsx';

/** Shows a note, or the list of notes if the address has no path. */
export function NoteView({ address }: { readonly address: Address }) {
  const path = address.path.replace(/^\/note\/?/, '');
  return path === '' ? <NoteList address={address} /> : <NotePageView key={path} path={path} />;
}
