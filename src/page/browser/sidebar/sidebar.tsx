import { useRef, useState } from 'preact/hooks';
import type { FunctionComponent } from 'preact';
import { useCommands } from '../commands.ts';
import { Icon } from '../parts/icon.tsx';
import type { IconName } from '../parts/icon.tsx';
import { readStored, store } from '../stored.ts';
import { CalendarPanel } from './calendar-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import { TagsPanel } from './tags-panel.tsx';

interface Tab {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  readonly Panel: FunctionComponent;
}

const TABS: readonly Tab[] = [
  { name: 'files', title: 'Files', icon: 'folder', Panel: FilesPanel },
  { name: 'tags', title: 'Tags', icon: 'tag', Panel: TagsPanel },
  { name: 'calendar', title: 'Calendar', icon: 'calendar', Panel: CalendarPanel },
];

function readName(): string {
  const stored = readStored('sidebar');
  return typeof stored === 'string' ? stored : 'files';
}

/** Files, tags or calendar of the vault. Remembers which of them is open, and whether any is. */
export function Sidebar() {
  const [name, setName] = useState(readName);
  const row = useRef<HTMLDivElement>(null);
  const [tab, isOpen] = [TABS.find((each) => each.name === name.replace(/^closed-/, '')) ?? TABS[0], !name.startsWith('closed-')];
  useCommands([
    {
      id: 'files',
      title: 'Go to a file in the sidebar',
      group: 'Go to',
      icon: 'folder',
      keywords: 'filter tree folders',
      keys: ['g', 'f'],
      run: () => {
        setName('files');
        // The field is there after the next drawing.
        requestAnimationFrame(() => setTimeout(() => document.getElementById('file-filter')?.focus()));
      },
    },
  ]);
  if (tab === undefined) return null;
  const choose = (next: Tab, open = true): void => {
    const stored = `${open ? '' : 'closed-'}${next.name}`;
    setName(stored);
    store('sidebar', stored);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = (TABS.indexOf(tab) + step + TABS.length) % TABS.length;
    choose(TABS[at] ?? tab);
    row.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at]?.focus();
    event.preventDefault();
  };
  return (
    <section class="sidebar" data-open={isOpen} aria-label="Files, tags and calendar">
      <div class="sidebar-head">
        <div class="sidebar-tabs" role="tablist" aria-label="Sidebar" ref={row} onKeyDown={onKeyDown}>
          {TABS.map((each) => (
            <button
              key={each.name}
              type="button"
              role="tab"
              id={`sidebar-tab-${each.name}`}
              aria-selected={each === tab && isOpen}
              aria-controls={each === tab && isOpen ? 'sidebar-panel' : undefined}
              tabIndex={each === tab ? 0 : -1}
              title={each.title}
              onClick={() => choose(each)}
            >
              <Icon name={each.icon} />
              <span>{each.title}</span>
            </button>
          ))}
        </div>
        <button
          type="button"
          class="sidebar-fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Hide files, tags and calendar' : 'Show files, tags and calendar'}
          onClick={() => choose(tab, !isOpen)}
        >
          <Icon name="chevron" />
        </button>
      </div>
      {isOpen ? (
        <div class="sidebar-panel" role="tabpanel" id="sidebar-panel" aria-labelledby={`sidebar-tab-${tab.name}`}>
          <tab.Panel />
        </div>
      ) : null}
    </section>
  );
}
