import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'roux-theme';
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(prefersDark.matches);

export const theme = signal<Theme>(readTheme());
/** The theme in use, also for canvases. */
export const shownTheme = signal<'light' | 'dark'>('light');

/** Applies the chosen theme, or that of the system, and follows changes of both. */
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
    // The browser may block storage: the choice then lasts until the page is closed.
  }
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}
