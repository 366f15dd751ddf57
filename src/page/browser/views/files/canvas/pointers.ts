interface Moves {
  /** The wheel scrolls the page instead of moving the canvas. */
  readonly isEmbedded: boolean;
  readonly panBy: (dx: number, dy: number) => void;
  readonly zoom: (factor: number, point: { readonly x: number; readonly y: number }) => void;
}

/** A press becomes a drag after this distance, so that links can be clicked. */
const DRAG_PX = 4;
const WHEEL_ZOOM = 0.0025;
const LINE_PX = 16;

/** Moves a canvas by dragging, pinching and the wheel. Returns a function that stops it. */
export function followPointers(element: HTMLElement, { isEmbedded, panBy, zoom }: Moves): () => void {
  const pressed = new Map<number, { x: number; y: number }>();
  let hasMoved = false;

  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || isScrollable(event.target, element)) return;
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (pressed.size === 1) hasMoved = false;
  };
  const onMove = (event: PointerEvent): void => {
    const last = pressed.get(event.pointerId);
    if (last === undefined) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    if (!hasMoved && pressed.size === 1 && Math.hypot(dx, dy) < DRAG_PX) return;
    if (!hasMoved) element.setPointerCapture(event.pointerId);
    hasMoved = true;
    element.dataset['dragging'] = 'true';
    const other = [...pressed].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) {
      const [before, after] = [distance(last, other), distance({ x: event.clientX, y: event.clientY }, other)];
      const box = element.getBoundingClientRect();
      if (before > 0) zoom(after / before, { x: (event.clientX + other.x) / 2 - box.left, y: (event.clientY + other.y) / 2 - box.top });
    }
    // With two fingers, each moves the middle between them by half.
    panBy(-dx / pressed.size, -dy / pressed.size);
    pressed.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onUp = (event: PointerEvent): void => {
    pressed.delete(event.pointerId);
    if (pressed.size > 0) return;
    delete element.dataset['dragging'];
    // The press gave the focus to a node, which would scroll its content at the next drag.
    if (hasMoved) element.focus({ preventScroll: true });
  };
  // A drag that ends on a link does not open it.
  const onClick = (event: MouseEvent): void => {
    if (!hasMoved) return;
    hasMoved = false;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDragStart = (event: Event): void => event.preventDefault();
  const onWheel = (event: WheelEvent): void => {
    const isZoom = event.ctrlKey || event.metaKey;
    if ((isEmbedded && !isZoom) || (!isZoom && isScrollable(event.target, element))) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const box = element.getBoundingClientRect();
    if (isZoom) zoom(Math.exp(-event.deltaY * unit * WHEEL_ZOOM), { x: event.clientX - box.left, y: event.clientY - box.top });
    else if (event.shiftKey && event.deltaX === 0) panBy(event.deltaY * unit, 0);
    else panBy(event.deltaX * unit, event.deltaY * unit);
  };

  const listeners: readonly (readonly [string, (event: never) => void, AddEventListenerOptions?])[] = [
    ['pointerdown', onDown],
    ['pointermove', onMove],
    ['pointerup', onUp],
    ['pointercancel', onUp],
    ['click', onClick, { capture: true }],
    ['dragstart', onDragStart],
    ['wheel', onWheel, { passive: false }],
  ];
  for (const [kind, listener, options] of listeners) element.addEventListener(kind, listener as EventListener, options);
  return () => {
    for (const [kind, listener, options] of listeners) element.removeEventListener(kind, listener as EventListener, options);
  };
}

/** Whether an event is in a node that was clicked before, whose content scrolls and can be selected. */
function isScrollable(target: EventTarget | null, stage: HTMLElement): boolean {
  const node = target instanceof Element ? target.closest('.canvas-node') : null;
  const content = node?.querySelector('.canvas-content') ?? null;
  if (node === null || content === null || node !== document.activeElement || !stage.contains(node)) return false;
  return content.scrollHeight > content.clientHeight + 1;
}

function distance(a: { readonly x: number; readonly y: number }, b: { readonly x: number; readonly y: number }): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
