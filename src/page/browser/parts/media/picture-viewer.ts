/** Pictures that can be enlarged: those that are no part of a link. */
const PICTURES = 'img[src]:not(a img)';

/** Makes the pictures of an element open in the viewer, by a click or Enter. Returns a function that stops this. */
export function enlargePictures(root: HTMLElement): () => void {
  const open = (event: Event): void => {
    const picture = event.target instanceof Element ? event.target.closest<HTMLImageElement>(PICTURES) : null;
    if (picture === null || (event instanceof KeyboardEvent && event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    const pictures = [...document.querySelectorAll<HTMLImageElement>(`.prose :is(${PICTURES})`)];
    showPicture(pictures, Math.max(pictures.indexOf(picture), 0));
  };
  // A picture is known to be one when it has loaded: this event does not bubble.
  const prepare = ({ target }: Event): void => {
    if (!(target instanceof HTMLImageElement) || !target.matches(PICTURES)) return;
    target.tabIndex = 0;
    target.setAttribute('role', 'button');
    target.setAttribute('aria-haspopup', 'dialog');
    if (target.alt === '') target.setAttribute('aria-label', 'Picture');
  };
  root.addEventListener('click', open);
  root.addEventListener('keydown', open);
  root.addEventListener('load', prepare, true);
  return () => {
    root.removeEventListener('click', open);
    root.removeEventListener('keydown', open);
    root.removeEventListener('load', prepare, true);
  };
}

/** Shows a picture in a dialog, as large as the window allows. A click on it shows it in its own size; arrows go to the others. */
function showPicture(pictures: readonly HTMLImageElement[], first: number): void {
  let at = first;
  const dialog = document.createElement('dialog');
  dialog.className = 'picture-viewer';
  dialog.setAttribute('aria-label', 'Picture');
  const image = document.createElement('img');
  const caption = document.createElement('p');
  caption.setAttribute('aria-live', 'polite');
  const show = (to: number): void => {
    at = (to + pictures.length) % pictures.length;
    const shown = pictures[at];
    if (shown === undefined) return;
    image.src = shown.src;
    image.alt = shown.alt;
    image.toggleAttribute('data-drawing', shown.hasAttribute('data-drawing'));
    image.classList.remove('own-size');
    caption.textContent = [shown.alt, pictures.length === 1 ? '' : `${at + 1} of ${pictures.length}`].filter(Boolean).join(' · ');
  };
  const button = (label: string, sign: string, act: () => void): HTMLButtonElement => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'icon-button';
    made.setAttribute('aria-label', label);
    made.textContent = sign;
    made.addEventListener('click', act);
    return made;
  };
  const bar = document.createElement('div');
  bar.className = 'picture-viewer-bar';
  bar.append(
    caption,
    ...(pictures.length === 1
      ? []
      : [button('Previous picture', '←', () => show(at - 1)), button('Next picture', '→', () => show(at + 1))]),
    button('Close', '✕', () => dialog.close()),
  );
  const stage = document.createElement('div');
  stage.className = 'picture-viewer-stage';
  stage.append(image);
  dialog.append(bar, stage);
  image.addEventListener('click', () => image.classList.toggle('own-size'));
  stage.addEventListener('click', ({ target }) => target === stage && dialog.close());
  dialog.addEventListener('keydown', (event) => {
    // The keys of the page do not act meanwhile.
    event.stopPropagation();
    if (event.key === 'ArrowRight') show(at + 1);
    if (event.key === 'ArrowLeft') show(at - 1);
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    pictures[at]?.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  show(first);
  dialog.showModal();
}
