import { useEffect, useRef, useState } from 'preact/hooks';
import { isHelpOpen } from '../keys.ts';
import { isPaletteOpen } from '../palette/palette-state.ts';
import { address, onPathChange } from '../router.ts';
import { session } from '../session.ts';
import { useMedia } from '../use-media.ts';
import { findView, views } from '../views/views.ts';
import { Icon } from '../parts/icon.tsx';
import { SignInState } from './sign-in-state.tsx';
import { ThemeButton } from './theme-button.tsx';
import { VaultSwitch } from './vault-switch.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';

/** Width below which the sidebar is a drawer. The same is in `shell.css`. */
const NARROW = '(width < 50rem)';

/** Links to the views, and the files, tags and calendar of the vault: a sidebar on wide screens, a drawer behind a button on narrow ones. */
export function Navigation() {
  const [isOpen, setOpen] = useState(false);
  const isNarrow = useMedia(NARROW);
  const drawer = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const here = findView(address.value.path);
  useEffect(() => onPathChange(() => setOpen(false)), []);
  useEffect(() => {
    if (!isOpen || !isNarrow) return;
    const main = document.getElementById('main');
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    // Behind the drawer nothing can be focused or clicked.
    if (main !== null) main.inert = true;
    drawer.current?.querySelector('a')?.focus();
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('keydown', close);
      if (main !== null) main.inert = false;
    };
  }, [isOpen, isNarrow]);
  return (
    <header class="navigation" data-open={isOpen}>
      <div class="navigation-top">
        <VaultSwitch />
        <button
          type="button"
          class="icon-button narrow-only"
          aria-label="Find a note or a command"
          onClick={() => (isPaletteOpen.value = true)}
        >
          <Icon name="search" />
        </button>
        <button
          ref={button}
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
      {isOpen ? <div class="navigation-backdrop narrow-only" onClick={() => setOpen(false)} /> : null}
      <div class="navigation-links" id="navigation-links" ref={drawer}>
        <nav aria-label="Views">
          <ul>
            {views
              .filter(({ isListed }) => isListed)
              .map((view) => (
                <li key={view.name}>
                  <a href={view.home} aria-current={view.home === here?.home ? 'page' : undefined} title={`${view.title} (g ${view.key})`}>
                    <Icon name={view.icon} />
                    {view.title}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        {session.value !== null && (isOpen || !isNarrow) ? <Sidebar /> : null}
        <div class="navigation-foot">
          <ThemeButton />
          <button type="button" class="quiet-button" title="Keyboard shortcuts (?)" onClick={() => (isHelpOpen.value = true)}>
            <Icon name="keyboard" />
            <span class="wide-hidden">Keyboard shortcuts</span>
          </button>
          <SignInState />
        </div>
      </div>
    </header>
  );
}
