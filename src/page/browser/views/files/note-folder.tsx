/** The folder of a file, as a link to what else is in it. */
export function NoteFolder({ path }: { readonly path: string }) {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (folder === '') return null;
  return (
    <p class="note-folder" dir="auto">
      <a href={`/note?folder=${encodeURIComponent(folder)}`}>{folder}</a>
    </p>
  );
}
