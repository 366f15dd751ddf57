import { options } from 'preact';

/** The path below which the page is where its server has several vaults, percent-encoded: `/notes`; else ''. */
export const base: string = document.documentElement.dataset['base'] ?? '';

/** Whether a link is to an address of this server. */
const OWN_ADDRESS = /^\/(?!\/)/;

/** Returns an address of the page, or of the server's routes, with the path below which they are. */
export function withBase(address: string): string {
  return OWN_ADDRESS.test(address) ? base + address : address;
}

/** Lets the links that the page shows lead to addresses below its base, so that they can also be opened in a new tab. */
export function startBase(): void {
  if (base === '') return;
  const before = options.vnode?.bind(options);
  options.vnode = (vnode) => {
    const props = vnode.props as { href?: unknown };
    if (vnode.type === 'a' && typeof props.href === 'string') props.href = withBase(props.href);
    before?.(vnode);
  };
}

/** Does the same for links in HTML of the server. */
export function addBase(html: ParentNode): void {
  if (base === '') return;
  for (const link of html.querySelectorAll('a[href]')) link.setAttribute('href', withBase(link.getAttribute('href') ?? ''));
}
