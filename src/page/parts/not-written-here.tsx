/** Marks what a line of the history tells that was not written in this folder by this user. */
export function NotWrittenHere() {
  return (
    <span
      class="quiet"
      title="This came with the folder: through git, a sync folder or a copy. What it says is not checked, and it cannot be undone here."
    >
      {' '}
      · not written here
    </span>
  );
}
