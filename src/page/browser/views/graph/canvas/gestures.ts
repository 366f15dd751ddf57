/** Handlers of gestures. Positions are in pixels from the middle of the canvas. */
export interface Gestures {
  readonly pan: (dx: number, dy: number) => void;
  readonly zoom: (at: { readonly factor: number; readonly left: number; readonly top: number }) => void;
  /** Null when the pointer leaves. */
  readonly hover: (at: { readonly left: number; readonly top: number } | null) => void;
  readonly click: (
    at: { readonly left: number; readonly top: number },
    event: { readonly isTouch: boolean; readonly isNewTab: boolean; readonly isLocal: boolean },
  ) => void;
  /** A drag or a pinch has begun (true) or ended (false). */
  readonly hold: (isHeld: boolean) => void;
}

/** A press that moves further than this is a drag. */
const MAX_CLICK_TRAVEL_PX = 5;

/** Listens to gestures on a canvas. Returns a function that removes the listeners. */
export function listenToGestures(canvas: HTMLElement, gestures: Gestures): () => void {
  const held = new Map<number, { left: number; top: number }>();
  let travelled = 0;
  let spread = 0;
  const toPoint = (event: { clientX: number; clientY: number }) => {
    const box = canvas.getBoundingClientRect();
    return { left: event.clientX - box.left - box.width / 2, top: event.clientY - box.top - box.height / 2 };
  };

  const down = (event: PointerEvent): void => {
    if (event.pointerType === 'mouse' && event.button > 1) return;
    canvas.setPointerCapture(event.pointerId);
    if (held.size === 0) travelled = 0;
    held.set(event.pointerId, toPoint(event));
    spread = spreadOf(held);
    gestures.hold(true);
  };
  const move = (event: PointerEvent): void => {
    const at = toPoint(event);
    const before = held.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType === 'mouse') gestures.hover(at);
      return;
    }
    held.set(event.pointerId, at);
    const share = 1 / held.size;
    const [dx, dy] = [(at.left - before.left) * share, (at.top - before.top) * share];
    travelled += Math.hypot(dx, dy);
    if (travelled > MAX_CLICK_TRAVEL_PX || held.size > 1) gestures.pan(dx, dy);
    const now = spreadOf(held);
    if (held.size > 1 && spread > 0 && now > 0) gestures.zoom({ factor: now / spread, ...middleOf(held) });
    spread = now;
  };
  const up = (event: PointerEvent): void => {
    const at = held.get(event.pointerId);
    if (at === undefined) return;
    held.delete(event.pointerId);
    spread = spreadOf(held);
    if (held.size > 0) return;
    gestures.hold(false);
    if (event.type === 'pointercancel' || travelled > MAX_CLICK_TRAVEL_PX) return;
    const isNewTab = event.button === 1 || event.ctrlKey || event.metaKey;
    gestures.click(at, { isTouch: event.pointerType !== 'mouse', isNewTab, isLocal: event.shiftKey || event.altKey });
  };
  const leave = (): void => gestures.hover(null);
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 400 : 1;
    // A pinch on a touchpad is a wheel event with Ctrl and small deltas.
    const step = Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 6 : 1);
    gestures.zoom({ factor: Math.exp(-step / 500), ...toPoint(event) });
  };
  const controller = new AbortController();
  const options = { passive: false, signal: controller.signal };
  canvas.addEventListener('pointerdown', down, options);
  canvas.addEventListener('pointermove', move, options);
  canvas.addEventListener('pointerup', up, options);
  canvas.addEventListener('pointercancel', up, options);
  canvas.addEventListener('pointerleave', leave, options);
  canvas.addEventListener('wheel', wheel, options);
  return () => controller.abort();
}

function spreadOf(held: ReadonlyMap<number, { left: number; top: number }>): number {
  const [a, b] = [...held.values()];
  return a === undefined || b === undefined ? 0 : Math.hypot(a.left - b.left, a.top - b.top);
}

function middleOf(held: ReadonlyMap<number, { left: number; top: number }>): { left: number; top: number } {
  const all = [...held.values()];
  const sum = all.reduce((total, each) => ({ left: total.left + each.left, top: total.top + each.top }), { left: 0, top: 0 });
  return { left: sum.left / all.length, top: sum.top / all.length };
}
