import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { session } from '../session.ts';

/** The name of the vault, which leads home, and where the server has several vaults, a list to switch between them. */
export function VaultSwitch() {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const vaults = session.value?.vaults ?? [];
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    if (!isOpen) return;
    if (box.current !== null && list.current !== null) place(list.current, box.current);
    box.current?.querySelector<HTMLElement>('[aria-current]')?.focus();
    const close = (event: Event): void => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? event.key !== 'Escape' : event.target instanceof Node && box.current?.contains(event.target) === true) return;
      setOpen(false);
      if (!isKey) return;
      event.stopPropagation();
      button.current?.focus();
    };
    // Before the drawer hears Escape: it stays open.
    const kinds = ['keydown', 'pointerdown', 'focusin'] as const;
    for (const kind of kinds) document.addEventListener(kind, close, true);
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, close, true);
    };
  }, [isOpen]);
  const name = session.value?.vault ?? 'roux';
  return (
    <div class="vault-switch" ref={box}>
      <a class="vault-name" href="/">
        <bdi>{name}</bdi>
      </a>
      {vaults.length < 2 ? null : (
        <button
          ref={button}
          type="button"
          class="icon-button"
          aria-label={`Switch the vault, now ${name}`}
          title="Switch the vault"
          aria-expanded={isOpen}
          aria-controls="vault-list"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="switch" />
        </button>
      )}
      {isOpen ? (
        <ul ref={list} class="vault-list" id="vault-list" aria-label="Vaults" onKeyDown={moveFocus}>
          {vaults.map((each) => (
            <li key={each}>
              <a href={vaultAddress(each)} aria-current={each === name ? 'true' : undefined}>
                <bdi>{each}</bdi>
              </a>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** Returns the address of the page of another vault of the server. It is outside of this page's base, and so absolute. */
export function vaultAddress(name: string): string {
  return new URL(`/${encodeURIComponent(name)}/`, location.origin).href;
}

/** Places the list below the name: the sidebar would clip one that lay in it. */
function place(list: HTMLElement, box: HTMLElement): void {
  const { left, bottom, width } = box.getBoundingClientRect();
  list.style.left = `${left}px`;
  list.style.top = `${bottom + 4}px`;
  list.style.minWidth = `${width}px`;
}

/** Moves between the entries with the arrow keys, as in the other lists of the page. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.currentTarget instanceof Element)) return;
  event.preventDefault();
  const links = [...event.currentTarget.querySelectorAll('a')];
  links.at((links.findIndex((link) => link === document.activeElement) + step) % links.length)?.focus();
}
