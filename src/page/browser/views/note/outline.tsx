import { useEffect, useState } from 'preact/hooks';
import type { OutlineItem } from './page-shapes.ts';

/** A heading counts as reached when it is this close to the top of the window. */
const READ_OFFSET_PX = 110;

/** Lists the headings of a note and marks the current one while the user scrolls. */
export function Outline({ items }: { readonly items: readonly OutlineItem[] }) {
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
  if (items.length < 2) return null;
  const top = Math.min(...items.map(({ level }) => level));
  return (
    <nav class="outline no-print" aria-label="On this page">
      <h2>On this page</h2>
      <ol>
        {items.map(({ id, text, level }) => (
          <li key={id} data-level={Math.min(level - top, 4)}>
            <a href={`#${encodeURIComponent(id)}`} aria-current={id === current ? 'location' : undefined} dir="auto">
              {text === '' ? 'Untitled' : text}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
