import { effect } from '@preact/signals';
import { registerCommands, registerKeyHints } from '../commands.ts';
import type { Command } from '../commands.ts';
import { isHelpOpen, openSearch } from '../keys.ts';
import { isPaletteOpen } from '../palette/palette-state.ts';
import { address, navigate } from '../router.ts';
import { session } from '../session.ts';
import type { SessionInfo } from '../session.ts';
import { chooseTheme, shownTheme, theme } from '../theme.ts';
import { views } from '../views/views.ts';

/** Registers the commands that the whole page has. Other commands are registered by the parts that they belong to. */
export function startPageCommands(): void {
  registerCommands([
    {
      id: 'palette',
      title: 'Find a note or a command',
      group: 'Anywhere',
      keys: ['Mod', 'k'],
      // The palette does not list itself.
      isAvailable: () => !isPaletteOpen.value,
      run: () => (isPaletteOpen.value = true),
    },
    { id: 'search', title: 'Search', group: 'Anywhere', icon: 'search', keys: ['/'], run: openSearch },
    {
      id: 'keys',
      title: 'Show keyboard shortcuts',
      group: 'Anywhere',
      icon: 'keyboard',
      keywords: 'help keys',
      keys: ['?'],
      run: () => (isHelpOpen.value = true),
    },
    ...views.filter(({ isListed }) => isListed).map(toViewCommand),
    ...(['light', 'dark'] as const).map((wanted): Command => ({
      id: `theme-${wanted}`,
      title: `Use the ${wanted} theme`,
      group: 'Anywhere',
      icon: wanted,
      keywords: 'toggle color mode night day appearance',
      isAvailable: () => shownTheme.value !== wanted,
      run: () => chooseTheme(wanted),
    })),
    {
      id: 'theme-system',
      title: 'Use the theme of the system',
      group: 'Anywhere',
      icon: 'system',
      isAvailable: () => theme.value !== 'system',
      run: () => chooseTheme('system'),
    },
    {
      id: 'copy-link',
      title: 'Copy the link to this page',
      group: 'Anywhere',
      icon: 'external',
      keywords: 'address url share',
      isAvailable: () => navigator.clipboard !== undefined,
      run: () => navigator.clipboard.writeText(location.href),
    },
    {
      id: 'note-graph',
      title: 'Show this note in the graph',
      group: 'This note',
      icon: 'graph',
      keywords: 'links around neighbors',
      isAvailable: () => notePath() !== null,
      run: () => navigate(`/graph?around=${encodeURIComponent(notePath() ?? '')}`),
    },
  ]);
  effect(() => registerCommands((session.value?.editors ?? []).map(toEditorCommand)));
  registerKeyHints([
    { title: 'Move in a list', group: 'Lists and dialogs', keys: ['↑', '↓'] },
    { title: 'Open the selected item', group: 'Lists and dialogs', keys: ['Enter'] },
    { title: 'Close a dialog or preview', group: 'Lists and dialogs', keys: ['Esc'] },
  ]);
}

function toViewCommand({ name, title, key, icon, home }: (typeof views)[number]): Command {
  return { id: `view-${name}`, title: `Go to ${title}`, group: 'Go to', icon, keys: ['g', key], run: () => navigate(home) };
}

function toEditorCommand({ name, url }: SessionInfo['editors'][number]): Command {
  return {
    id: `editor-${name}`,
    title: `Open this note in ${name}`,
    group: 'This note',
    icon: 'external',
    isAvailable: () => notePath() !== null,
    run: () => location.assign(url.replace('{path}', (notePath() ?? '').split('/').map(encodeURIComponent).join('/'))),
  };
}

/** Returns the path of the note that the address shows, or null. */
function notePath(): string | null {
  return /^\/note\/(.+)$/.exec(address.value.path)?.[1] ?? null;
}
