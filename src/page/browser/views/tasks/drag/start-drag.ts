import { COLUMNS } from '../board.ts';
import type { BoardTask } from '../board.ts';
import type { Column } from '../acts/offered.ts';
import { drag } from './drag-state.ts';
import type { Drag } from './drag-state.ts';

/** Distance after which a press is a drag and no click. */
const MIN_DISTANCE_PX = 6;
/** Near an edge of the window, the page scrolls. */
const EDGE_PX = 56;
const SCROLL_STEP_PX = 14;

/**
 * Begins to drag a card, as soon as the pointer has moved. With a finger only the grip drags, as any other place scrolls. Calls `onDrop`
 * once, unless the drag is cancelled by Escape or by the browser.
 */
export function startDrag(event: PointerEvent, task: BoardTask, onDrop: (drag: Drag) => void): void {
  const { target, currentTarget: card } = event;
  if (event.button !== 0 || !event.isPrimary || !(card instanceof HTMLElement) || !(target instanceof Element)) return;
  if (target.closest('button') !== null || (event.pointerType === 'touch' && target.closest('.card-grip') === null)) return;
  const rect = card.getBoundingClientRect();
  const grab = { x: event.clientX - rect.left, y: event.clientY - rect.top };
  let at = { x: event.clientX, y: event.clientY };
  let ghost: HTMLElement | null = null;
  let frame = 0;
  const ended = new AbortController();
  const { signal } = ended;

  const follow = (): void => {
    if (ghost === null) return;
    ghost.style.transform = `translate(${at.x - grab.x}px, ${at.y - grab.y}px)`;
    const next = findPlace(at, task, card);
    const { over, place } = drag.value ?? {};
    if (next.over !== over || next.place !== place) drag.value = { task, ...next };
  };
  const scroll = (): void => {
    const step = at.y < EDGE_PX ? -SCROLL_STEP_PX : at.y > innerHeight - EDGE_PX ? SCROLL_STEP_PX : 0;
    if (step !== 0) {
      scrollBy(0, step);
      follow();
    }
    frame = requestAnimationFrame(scroll);
  };
  const end = (isDropped: boolean): void => {
    const last = drag.value;
    ended.abort();
    cancelAnimationFrame(frame);
    if (ghost === null) return;
    ghost.remove();
    drag.value = null;
    suppressClick();
    if (isDropped && last !== null && last.over !== null) onDrop(last);
  };

  addEventListener(
    'pointermove',
    (move) => {
      if (move.pointerId !== event.pointerId) return;
      at = { x: move.clientX, y: move.clientY };
      if (ghost === null) {
        if (Math.hypot(at.x - event.clientX, at.y - event.clientY) < MIN_DISTANCE_PX) return;
        ghost = createGhost(card, rect);
        getSelection()?.removeAllRanges();
        drag.value = { task, over: null, place: null };
        frame = requestAnimationFrame(scroll);
      }
      follow();
    },
    { signal },
  );
  addEventListener('pointerup', ({ pointerId }) => pointerId === event.pointerId && end(true), { signal });
  addEventListener('pointercancel', ({ pointerId }) => pointerId === event.pointerId && end(false), { signal });
  addEventListener('blur', () => end(false), { signal });
  addEventListener(
    'keydown',
    (key) => {
      if (key.key !== 'Escape' || ghost === null) return;
      key.preventDefault();
      key.stopPropagation();
      end(false);
    },
    { signal, capture: true },
  );
}

/** Finds the column below the pointer, and in the card's own column how many other cards are above it. */
function findPlace({ x, y }: { readonly x: number; readonly y: number }, task: BoardTask, card: Element): Pick<Drag, 'over' | 'place'> {
  const column = document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-column]') ?? null;
  const over = COLUMNS.find((name) => name === column?.dataset['column']) ?? null;
  if (column === null || over !== (task.state as Column)) return { over, place: null };
  const others = [...column.querySelectorAll('.card')].filter((each) => each !== card);
  return { over, place: others.filter((each) => middleOf(each) < y).length };
}

function middleOf(element: Element): number {
  const { top, height } = element.getBoundingClientRect();
  return top + height / 2;
}

/** Makes a copy of a card that follows the pointer. */
function createGhost(card: HTMLElement, { width, left, top }: DOMRect): HTMLElement {
  const ghost = card.cloneNode(true) as HTMLElement;
  ghost.classList.add('card-ghost');
  ghost.setAttribute('aria-hidden', 'true');
  ghost.inert = true;
  ghost.style.width = `${width}px`;
  ghost.style.transform = `translate(${left}px, ${top}px)`;
  document.body.append(ghost);
  return ghost;
}

/** The browser sends a click after the drag, which would open the task. */
function suppressClick(): void {
  const stop = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('click', stop, { capture: true, once: true });
  setTimeout(() => removeEventListener('click', stop, { capture: true }), 0);
}
