const KEY_STEP_PX = 80;

interface Moves {
  readonly panBy: (dx: number, dy: number) => void;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly fitAll: () => void;
}

/** Moves a canvas by arrow keys, plus, minus and 0 while it has the focus itself. Returns a function that stops it. */
export function followKeys(element: HTMLElement, { panBy, zoomIn, zoomOut, fitAll }: Moves): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = keyStep(event.key);
    if (step !== null) panBy(step[0] * KEY_STEP_PX, step[1] * KEY_STEP_PX);
    else if (event.key === '+' || event.key === '=') zoomIn();
    else if (event.key === '-') zoomOut();
    else if (event.key === '0') fitAll();
    else return;
    event.preventDefault();
  };
  element.addEventListener('keydown', onKeyDown);
  return () => element.removeEventListener('keydown', onKeyDown);
}

function keyStep(key: string): readonly [number, number] | null {
  switch (key) {
    case 'ArrowLeft':
      return [-1, 0];
    case 'ArrowRight':
      return [1, 0];
    case 'ArrowUp':
      return [0, -1];
    case 'ArrowDown':
      return [0, 1];
    default:
      return null;
  }
}
