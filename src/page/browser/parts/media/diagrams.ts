import { effect } from '@preact/signals';
import { shownTheme } from '../../theme.ts';
import { showBlob } from './blob-urls.ts';
import { TOO_LONG } from './frame/messages.ts';
import type { Drawing } from './frame/messages.ts';

/** Diagrams of a note that are drawn; the others stay code. */
const MAX_DIAGRAMS = 50;
/** Diagrams of a note that take too long: after them the others stay code, since each may hold up the page. */
const MAX_SLOW = 3;

/** Diagrams of more pixels than this that are taller than wide are shown in a frame that scrolls. */
const MAX_HEIGHT_PX = 1_000;

/** Draws a diagram. Rejects with a message to the reader if it cannot be drawn. */
type DrawDiagram = (source: string) => Promise<Drawing>;

let load: (() => Promise<DrawDiagram>) | null = null;

/** Sets where the program that draws diagrams comes from. Without one, as in previews of a published site, diagrams stay code. */
export function provideDiagrams(loader: () => Promise<DrawDiagram>): void {
  load = loader;
}

/** Draws the `mermaid` blocks of an element, and draws them again when the theme changes. Returns a function that stops this. */
export function showDiagrams(root: HTMLElement): () => void {
  const places = [...root.querySelectorAll<HTMLElement>('.diagram')];
  const loadProgram = load;
  if (places.length === 0 || loadProgram === null) return () => undefined;
  for (const place of places.slice(MAX_DIAGRAMS)) showNotice(place, `Only the first ${MAX_DIAGRAMS} diagrams of a note are drawn.`);
  let [isStopped, slow] = [false, 0];
  const stop = effect(() => {
    const theme = shownTheme.value;
    // Meanwhile the effect that applies the theme has run, so that its colors are in place.
    void loadProgram().then(async (drawDiagram) => {
      const isOver = (): boolean => isStopped || shownTheme.peek() !== theme;
      const draw: DrawDiagram = (source) =>
        slow < MAX_SLOW ? drawDiagram(source) : Promise.reject(new Error('Others of this note take too long.'));
      // One after the other, so that it is known of each how long those before have taken.
      for (const place of places.slice(0, MAX_DIAGRAMS))
        if (place.dataset['theme'] !== theme && (await showDiagram(place, draw, isOver)) === TOO_LONG) slow += 1;
    });
  });
  return () => {
    isStopped = true;
    stop();
  };
}

/** Shows the picture of a diagram, or why there is none, and returns that. */
async function showDiagram(place: HTMLElement, draw: DrawDiagram, isOver: () => boolean): Promise<string | null> {
  if (isOver()) return null;
  const theme = shownTheme.peek();
  try {
    const drawing = await draw(place.querySelector('code')?.textContent ?? '');
    if (isOver()) return null;
    showPicture(place, drawing);
    place.dataset['theme'] = theme;
    return null;
  } catch (error) {
    if (isOver()) return null;
    const reason = error instanceof Error ? error.message : '';
    place.querySelector('img')?.remove();
    place.querySelector('pre')?.classList.remove('sr-only');
    showNotice(place, `This diagram cannot be drawn. ${reason}`);
    return reason;
  }
}

/** Puts the picture before the source, which stays for screen readers. */
function showPicture(place: HTMLElement, { svg, width, height, title }: Drawing): void {
  const image = document.createElement('img');
  [image.width, image.height] = [width, height];
  image.alt = title === '' ? 'Diagram' : `Diagram: ${title}`;
  place.toggleAttribute('data-tall', height > MAX_HEIGHT_PX && height > width);
  // A frame that scrolls is reached by keys.
  if (place.hasAttribute('data-tall')) place.tabIndex = 0;
  for (const old of place.querySelectorAll('img, .notice')) old.remove();
  place.prepend(image);
  showBlob(image, new Blob([svg], { type: 'image/svg+xml' }));
  const source = place.querySelector('pre');
  source?.classList.add('sr-only');
  source?.removeAttribute('tabindex');
}

function showNotice(place: HTMLElement, message: string): void {
  if (place.querySelector('.notice') !== null) return;
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.textContent = message;
  place.prepend(notice);
}
