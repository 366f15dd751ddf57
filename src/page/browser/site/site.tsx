import { signal } from '@preact/signals';
import { options, render } from 'preact';
import type { VNode } from 'preact';
import { answerLocally } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { addCalloutIcons } from '../parts/media/callout-icons.ts';
import { Previews } from '../parts/preview.tsx';
import { address, findAnchor, outerAddress, startRouter, useFileAddresses } from '../router.ts';
import { access } from '../session.ts';
import { ThemeButton } from '../shell/theme-button.tsx';
import { startTheme } from '../theme.ts';
import type { ViewComponent } from '../views/view.ts';
import { Outline, OutlineFold } from '../views/note/outline.tsx';
import { isSearchOpen, SearchDialog, startSearchKeys } from './search-dialog.tsx';
import { answerFromFiles, siteAddress } from './site-answers.ts';
import { fetchList } from './site-files.ts';
import { SiteTree } from './site-tree.tsx';

const menu = signal(false);
/** The page that is shown, from the root of the site on. */
const page = document.documentElement.dataset['page'] ?? '';

// Pages are complete without this program, which adds to them what needs one.
access.value = 'granted';
answerLocally(answerFromFiles);
startTheme();
startSearchKeys();
show(<Buttons />, 'site-buttons');
show(<ThemeButton />, 'site-foot');
show(<SiteTree current={page} />, 'site-tree');
show(<Layers />, 'site-layers');
addCalloutIcons(document.body);
showOutline();
scrollToHeading();
addEventListener('hashchange', scrollToHeading);
if (document.getElementById('site-graph') !== null) await showGraph();

/** Renders into the element with an id, if the page has one. */
function show(content: VNode, id: string): void {
  const place = document.getElementById(id);
  if (place !== null) render(content, place);
}

/** Search and, on narrow screens, the menu. */
function Buttons() {
  const bar = document.querySelector<HTMLElement>('.navigation');
  const isOpen = menu.value;
  if (bar !== null) bar.dataset['open'] = String(isOpen);
  return (
    <>
      <button type="button" class="icon-button" aria-label="Search" title="Search ( / )" onClick={() => (isSearchOpen.value = true)}>
        <Icon name="search" />
      </button>
      <button
        type="button"
        class="icon-button narrow-only"
        aria-label="Menu"
        aria-expanded={isOpen}
        aria-controls="navigation-links"
        onClick={() => (menu.value = !isOpen)}
      >
        <Icon name={isOpen ? 'close' : 'menu'} />
      </button>
    </>
  );
}

function Layers() {
  return (
    <>
      <Previews />
      <SearchDialog />
    </>
  );
}

/** Lets the outline of the page follow the reader. */
function showOutline(): void {
  const place = document.querySelector('.site-outline');
  const items = [...(place?.querySelectorAll('li') ?? [])].map((item) => ({
    level: Number(item.dataset['level'] ?? 0),
    text: item.textContent ?? '',
    id: decodeURIComponent(item.querySelector('a')?.hash.slice('#note-'.length) ?? ''),
  }));
  if (place === null || items.length < 2) return;
  place.replaceChildren();
  render(<Outline items={items} />, place);
  show(<OutlineFold items={items} />, 'site-fold');
}

/** Scrolls to a heading that the address names in another spelling than its id. */
function scrollToHeading(): void {
  const name = location.hash.slice(1);
  if (name === '' || document.getElementById(name) !== null) return;
  try {
    findAnchor(decodeURIComponent(name).replace(/^note-/, ''))?.scrollIntoView({ block: 'start' });
  } catch {
    // An incomplete escape sequence.
  }
}

async function showGraph(): Promise<void> {
  const [{ GraphView }, { byPath }] = await Promise.all([import('../views/graph/graph.tsx'), fetchList()]);
  useFileAddresses((href) => (href.startsWith('/') ? siteAddress(href, byPath) : href));
  // The views link to addresses of the live page.
  options.vnode = (node) => {
    const props = node.props as { href?: unknown };
    if (node.type === 'a' && typeof props.href === 'string' && props.href.startsWith('/')) props.href = outerAddress(props.href);
  };
  startRouter();
  show(<Graph view={GraphView} />, 'main');
}

function Graph({ view: View }: { readonly view: ViewComponent }) {
  return <View address={address.value} />;
}
