/** Focuses the card, row or box of a task on the board, not one of the other links to it. */
export function focusCard(id: string): void {
  const links = [...document.querySelectorAll<HTMLElement>(`.board [data-task="${CSS.escape(id)}"]`)];
  links.find((link) => link.matches('.card-title, .task-title, .box-title'))?.focus({ preventScroll: true });
}
