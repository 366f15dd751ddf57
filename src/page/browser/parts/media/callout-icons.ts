/** Icons of callouts by their kind: paths on a grid of 24 by 24, stroked with the color of the title. */
const PATHS: Readonly<Record<string, string>> = {
  note: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  abstract: 'M6 5h12v16H6zM9 3h6v4H9zM9 11h6M9 15h6',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5M12 8v.01',
  todo: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M8 12l3 3 5-6',
  tip: 'M12 3c1 4 5 6 5 11a5 5 0 0 1-10 0c0-2 1-3 2-4 0 2 1 3 2 3 1-3-1-6 1-10',
  success: 'M5 13l4 4L19 7',
  question: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.3-1 .8-1 1.700M12 16.500v.01',
  warning: 'M12 4 2.500 20h19zM12 10v5M12 17.500v.01',
  failure: 'M6 6l12 12M18 6 6 18',
  danger: 'M13 3 5 14h6l-1 7 8-11h-6z',
  bug: 'M8 9a4 4 0 0 1 8 0v6a4 4 0 0 1-8 0zM8 13h8M3 13h5M16 13h5M4 7l4 3M20 7l-4 3M4 20l4-3M20 20l-4-3M10 5 8.500 3M14 5l1.500-2',
  example: 'M9 6h11M9 12h11M9 18h11M4.500 6v.01M4.500 12v.01M4.500 18v.01',
  quote: 'M10 7H5v6h4c0 2-1 3-3 4M19 7h-5v6h4c0 2-1 3-3 4',
};
const SVG = 'http://www.w3.org/2000/svg';

/** Puts the icons before the titles of callouts. */
export function addCalloutIcons(root: HTMLElement): void {
  for (const title of root.querySelectorAll<HTMLElement>('.callout > .callout-title:not(:has(> .icon))')) {
    const kind = Object.keys(PATHS).find((name) => title.parentElement?.classList.contains(`callout-${name}`)) ?? 'note';
    const icon = document.createElementNS(SVG, 'svg');
    icon.setAttribute('class', 'icon');
    icon.setAttribute('viewBox', '0 0 24 24');
    icon.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', PATHS[kind] ?? '');
    icon.append(path);
    title.prepend(icon);
  }
}
