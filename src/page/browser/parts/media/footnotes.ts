const MAX_CHARACTERS = 500;

/** Shows the text of each footnote on hovering over its number. */
export function addFootnoteTitles(root: HTMLElement): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-footnote-ref]')) {
    const note = root.querySelector(`#${CSS.escape(`note-${link.hash.slice(1)}`)}`);
    const text = (note?.textContent ?? '').replaceAll(/[\s↩]+/gu, ' ').trim();
    if (text !== '') link.title = text.slice(0, MAX_CHARACTERS);
  }
}
