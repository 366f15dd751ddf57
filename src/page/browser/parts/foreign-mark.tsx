/** Marks a record of the history that was not written in this folder by this user. */
export function ForeignMark() {
  return (
    <span
      class="quiet"
      title="This record came with the folder, through git, a sync service or a copy. It is not verified and cannot be undone here."
    >
      {' '}
      · not written here
    </span>
  );
}
