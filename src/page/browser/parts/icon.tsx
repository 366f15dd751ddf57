/** SVG paths on a grid of 24 by 24, stroked with the color of the text. */
const PATHS = {
  home: 'M4 11 12 4l8 7M6 10v10h12V10M10 20v-6h4v6',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14m5-2 5 5',
  note: 'M6 3h9l4 4v14H6zM14 3v5h5M9 12h7M9 16h7',
  graph:
    'M7 8a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5m11 4a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M9 21a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M9.300 6l6.400 2.500M7.300 8l1.400 8m2-.7 5.500-4',
  tasks: 'm4 6 2 2 3-4M4 13l2 2 3-4M12 6h8M12 13h8M4 20h16',
  memory: 'M12 4c4 0 7 1.300 7 3s-3 3-7 3-7-1.300-7-3 3-3 7-3M5 7v10c0 1.700 3 3 7 3s7-1.300 7-3V7M5 12c0 1.700 3 3 7 3s7-1.300 7-3',
  knowledge:
    'M4 18h16M6 18v-5M11 18V8M16 18v-7M6 10a1 1 0 1 0 0-2 1 1 0 0 0 0 2m5-5a1 1 0 1 0 0-2 1 1 0 0 0 0 2m5 3a1 1 0 1 0 0-2 1 1 0 0 0 0 2',
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M17 14h.01M7 14h7',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6 6 18',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  light: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  dark: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3 6h6l2 2h10v11H3z',
  leave: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  switch: 'm8 9 4-4 4 4M8 15l4 4 4-4',
  chevron: 'm9 6 6 6-6 6',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.500 8.500v.01',
  calendar: 'M4 6h16v14H4zM4 10h16M8 3v4M16 3v4',
  warning: 'M12 4 2.500 20h19zM12 10v5M12 17.500v.01',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside a label. It is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
