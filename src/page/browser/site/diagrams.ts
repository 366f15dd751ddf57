import { provideDiagrams, showDiagrams } from '../parts/media/diagrams.ts';
import { drawDiagram } from '../parts/media/draw-diagram.ts';
import { shownTheme } from '../theme.ts';

// Draws the diagrams of a page. Its own script, which only pages with diagrams load.
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const page = document.documentElement;

/** Follows the theme that the program of the site sets; without one, as where a page is opened as a file, that of the system. */
function followTheme(): void {
  const set = page.dataset['theme'] ?? (prefersDark.matches ? 'dark' : 'light');
  shownTheme.value = set === 'dark' ? 'dark' : 'light';
}

followTheme();
prefersDark.addEventListener('change', followTheme);
new MutationObserver(followTheme).observe(page, { attributeFilter: ['data-theme'] });
const prose = document.querySelector<HTMLElement>('.prose');
provideDiagrams(() => Promise.resolve(drawDiagram));
if (prose !== null) showDiagrams(prose);
