import { effect } from '@preact/signals';
import { callOperation } from '../api.ts';
import { registerCommands, registerKeyHints } from '../commands.ts';
import type { Command } from '../commands.ts';
import { isHelpOpen, openSearch } from '../keys.ts';
import { isPaletteOpen } from '../palette/palette-state.ts';
import { showToast } from '../parts/toast.tsx';
import { describeError } from '../parts/words/error-text.ts';
import { dayAddress, navigate, notePath } from '../router.ts';
import { canWrite, readToken, session, signOut } from '../session.ts';
import type { SessionInfo } from '../session.ts';
import { chooseTheme, shownTheme, theme } from '../theme.ts';
import { views } from '../views/views.ts';
import { vaultAddress } from './vault-switch.tsx';

/** Changes among which the last one that can be undone is looked for. */
const MAX_CHANGES = 20;

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
      id: 'today',
      title: 'Open today’s note',
      group: 'Go to',
      icon: 'note',
      keywords: 'daily journal diary calendar',
      run: openTodaysNote,
    },
    {
      id: 'undo-last',
      title: 'Undo the last change',
      group: 'Anywhere',
      icon: 'activity',
      keywords: 'take back revert restore',
      isAvailable: canWrite,
      run: undoLast,
    },
    {
      id: 'sign-out',
      title: 'Sign out',
      group: 'Anywhere',
      icon: 'external',
      keywords: 'log out leave forget token',
      isAvailable: () => readToken() !== null,
      run: signOut,
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
  effect(() => registerCommands((session.value?.vaults ?? []).filter((name) => name !== session.value?.vault).map(toVaultCommand)));
  registerKeyHints([
    { title: 'Move in a list', group: 'Lists and dialogs', keys: ['↑', '↓'] },
    { title: 'Open the selected item', group: 'Lists and dialogs', keys: ['Enter'] },
    { title: 'Close a dialog or preview', group: 'Lists and dialogs', keys: ['Esc'] },
  ]);
}

function toVaultCommand(name: string): Command {
  return {
    id: `vault-${name}`,
    title: `Open the vault ${name}`,
    group: 'Go to',
    icon: 'switch',
    keywords: 'switch change vault other',
    run: () => location.assign(vaultAddress(name)),
  };
}

/** Opens the daily note, or the page that offers to create it. */
async function openTodaysNote(): Promise<void> {
  try {
    const { today } = await callOperation('home_page', {});
    if (today === null) return showToast({ text: 'This vault has no folder for daily notes.', isBad: true });
    navigate(dayAddress(today));
  } catch (error) {
    showToast({ text: describeError(error), isBad: true });
  }
}

/** Undoes the latest change that can be undone, by whomever it was, after the user has seen what that does. */
async function undoLast(): Promise<void> {
  const report = (text: string, isBad: boolean): void => showToast({ text, isBad });
  try {
    const { entries } = await callOperation('activity', { limit: MAX_CHANGES });
    const last = entries.find(({ batch, is_kept: isKept }) => isKept && batch !== null);
    if (last?.batch == null) return report('There is no change that could be undone.', true);
    const { undoWrite } = await import('../views/activity/undo.tsx');
    await undoWrite(last.batch, report);
  } catch (error) {
    report(describeError(error), true);
  }
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
