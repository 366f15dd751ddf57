import type { Result } from '../../operations.ts';
import { Icon } from '../../parts/icon.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { addressOfFile, dayAddress, folderAddress, noteAddress, searchAddress } from '../../router.ts';

type HomePage = Result<'home_page'>;
type Pinned = HomePage['pinned'][number];

const ICONS: Readonly<Record<Pinned['kind'], IconName>> = { note: 'note', file: 'file', folder: 'folder', search: 'search' };

/** Where a person begins: today's note, and pinned notes, or the most linked ones if nothing is pinned. */
export function Start({ page: { today, pinned, hubs } }: { readonly page: HomePage }) {
  if (today === null && pinned.length === 0 && hubs.length === 0) return null;
  return (
    <section aria-labelledby="start">
      <h2 id="start">Start here</h2>
      <ul class="starts">
        {today === null ? null : (
          <li>
            <a href={dayAddress(today)} data-note={today.is_there ? today.path : undefined}>
              <Icon name="calendar" />
              {today.is_there ? 'Today’s note' : 'Today’s note (not written yet)'}
            </a>
          </li>
        )}
        {pinned.map((item) => (
          <li key={`${item.kind} ${item.target} ${item.heading ?? ''}`}>
            <a href={addressOf(item)} data-note={item.kind === 'note' ? item.target : undefined} dir="auto">
              <Icon name={ICONS[item.kind]} />
              {item.title}
            </a>
          </li>
        ))}
        {hubs.map(({ path, title }) => (
          <li key={path}>
            <a href={noteAddress(path)} data-note={path} dir="auto">
              <Icon name="note" />
              {title}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function addressOf({ kind, target, heading }: Pinned): string {
  switch (kind) {
    case 'note':
      return noteAddress(target, heading);
    case 'file':
      return addressOfFile(target);
    case 'folder':
      return folderAddress(target);
    case 'search':
      return searchAddress(target);
  }
}
