import { useEffect, useState } from 'preact/hooks';
import { isHelpOpen } from '../keys.ts';
import { isPaletteOpen } from '../palette/palette-state.ts';
import { address, onPathChange } from '../router.ts';
import { session } from '../session.ts';
import { chooseTheme, theme } from '../theme.ts';
import type { Theme } from '../theme.ts';
import { findView, views } from '../views/views.ts';
import { Icon } from '../parts/icon.tsx';
import { SignInState } from './sign-in-state.tsx';

const THEMES: Readonly<Record<Theme, { readonly next: Theme; readonly label: string }>> = {
  system: { next: 'light', label: 'Theme: system' },
  light: { next: 'dark', label: 'Theme: light' },
  dark: { next: 'system', label: 'Theme: dark' },
};

/** Links to the views: a sidebar on wide screens, a menu on narrow ones. */
export function Navigation() {
  const [isOpen, setOpen] = useState(false);
  const here = findView(address.value.path);
  useEffect(() => onPathChange(() => setOpen(false)), []);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [isOpen]);
  const { next, label } = THEMES[theme.value];
  return (
    <header class="navigation" data-open={isOpen}>
      <div class="navigation-top">
        <a class="vault-name" href="/">
          <bdi>{session.value?.vault ?? 'roux'}</bdi>
        </a>
        <button
          type="button"
          class="icon-button narrow-only"
          aria-label="Find a note or a command"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          class="icon-button narrow-only"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="navigation-links"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </button>
      </div>
      <div class="navigation-links" id="navigation-links">
        <nav aria-label="Views">
          <ul>
            {views
              .filter(({ isListed }) => isListed)
              .map((view) => (
                <li key={view.name}>
                  <a href={view.home} aria-current={view === here ? 'page' : undefined} title={`${view.title} (g ${view.key})`}>
                    <Icon name={view.icon} />
                    {view.title}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <div class="navigation-foot">
          <button type="button" class="quiet-button" onClick={() => chooseTheme(next)}>
            <Icon name={theme.value} />
            {label}
          </button>
          <button type="button" class="quiet-button" onClick={() => (isHelpOpen.value = true)}>
            <Icon name="keyboard" />
            Keyboard shortcuts
          </button>
          <SignInState />
        </div>
      </div>
    </header>
  );
}
