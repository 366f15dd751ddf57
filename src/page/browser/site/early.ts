// Runs before anything is drawn, so that a page does not flash in the other theme. The page's program follows changes (`theme.ts`).
try {
  const stored = localStorage.getItem('roux-theme');
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['theme'] = stored;
} catch {
  // The browser may block storage: the theme is that of the system then.
}
