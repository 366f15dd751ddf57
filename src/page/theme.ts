import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'roux-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(prefersDark.matches);

export const theme = signal<Theme>(readTheme());
/** What is shown, also to those who draw themselves. */
export const shownTheme = signal<'light' | 'dark'>('light');

/** Shows the theme that was chosen, or the system's, and follows both. */
export function startTheme(): void {
  prefersDark.addEventListener('change', (event) => (systemIsDark.value = event.matches));
  effect(() => {
    const shown = theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value;
    document.documentElement.dataset['theme'] = shown;
    shownTheme.value = shown;
  });
}

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Storage may be closed to the page: the choice then holds for this visit.
  }
}

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}
