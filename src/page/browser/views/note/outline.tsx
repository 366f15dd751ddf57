import { useEffect, useRef, useState } from 'preact/hooks';
import { useMedia } from '../../use-media.ts';
import type { OutlineItem } from './page-shapes.ts';

/** A heading counts as reached when it is this close to the top of the window. */
const READ_OFFSET_PX = 110;
/** Width below which the outline is a fold at the top of the note. The same is in `note.css`. */
const NARROW = '(width < 68rem)';

/** Lists the headings beside a wide note and marks the current one while the user scrolls. */
export function Outline({ items }: { readonly items: readonly OutlineItem[] }) {
  const isNarrow = useMedia(NARROW);
  if (items.length < 2 || isNarrow) return null;
  return (
    <nav class="outline" aria-label="On this page">
      <h2>On this page</h2>
      <Headings items={items} />
    </nav>
  );
}

/** Lists the headings in a fold at the top of a narrow note. */
export function OutlineFold({ items }: { readonly items: readonly OutlineItem[] }) {
  const isNarrow = useMedia(NARROW);
  if (items.length < 2 || !isNarrow) return null;
  return (
    <nav class="outline no-print" aria-label="On this page">
      <details>
        <summary>On this page</summary>
        <Headings items={items} />
      </details>
    </nav>
  );
}

function Headings({ items }: { readonly items: readonly OutlineItem[] }) {
  const current = useCurrentHeading(items);
  const top = Math.min(...items.map(({ level }) => level));
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    // Not by scrollIntoView, which would move the note as well.
    const [link, box] = [list.current?.querySelector('[aria-current]'), list.current?.parentElement];
    if (link == null || box == null) return;
    const [own, all] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.top < all.top || own.bottom > all.bottom) box.scrollTop += own.top - all.top - all.height / 2;
  }, [current]);
  return (
    <ol ref={list}>
      {items.map(({ id, text, level }) => (
        <li key={id} data-level={Math.min(level - top, 4)}>
          <a href={`#${encodeURIComponent(id)}`} aria-current={id === current ? 'location' : undefined} dir="auto">
            {text === '' ? 'Untitled' : text}
          </a>
        </li>
      ))}
    </ol>
  );
}

/** Returns the id of the last heading that was reached, or null. */
function useCurrentHeading(items: readonly OutlineItem[]): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  useEffect(() => {
    let frame = 0;
    const look = (): void => {
      frame = 0;
      let found: string | null = null;
      for (const { id } of items) {
        const heading = document.getElementById(`note-${id}`);
        if (heading === null || heading.offsetParent === null) continue;
        if (heading.getBoundingClientRect().top > READ_OFFSET_PX) break;
        found = id;
      }
      setCurrent(found);
    };
    const follow = (): void => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', follow, { passive: true });
    addEventListener('resize', follow);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', follow);
      removeEventListener('resize', follow);
    };
  }, [items]);
  return current;
}
