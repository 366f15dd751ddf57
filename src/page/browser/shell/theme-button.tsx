import { Icon } from '../parts/icon.tsx';
import { chooseTheme, theme } from '../theme.ts';
import type { Theme } from '../theme.ts';

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

/** Shows the chosen theme, and chooses the next one on a click. */
export function ThemeButton() {
  return (
    <button type="button" class="quiet-button" onClick={() => chooseTheme(NEXT[theme.value])}>
      <Icon name={theme.value} />
      Theme: {theme.value}
    </button>
  );
}
