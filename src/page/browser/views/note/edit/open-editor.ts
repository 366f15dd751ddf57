import { address, navigate, noteAddress } from '../../../router.ts';

/** Whether the entry before this one in the browser's history is the page that the editor was opened from. */
let isOpenedHere = false;

/** Opens the editor of a note, or of the section with this anchor. */
export function openEditor(path: string, anchor = ''): void {
  isOpenedHere = true;
  navigate(`${noteAddress(path)}?edit=${encodeURIComponent(anchor)}`);
}

/** Goes back to the note, to where it was left. */
export function closeEditor(path: string, anchor: string): void {
  const { path: shown } = address.value;
  // A note that was moved is not at the address before.
  if (isOpenedHere && shown === `/note/${path}`) history.back();
  else navigate(noteAddress(path, anchor), { replace: true });
  isOpenedHere = false;
}
