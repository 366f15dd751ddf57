import { isHelpOpen } from '../keys.ts';
import { views } from '../views/views.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Lists the keyboard shortcuts. */
export function KeyHelp() {
  if (!isHelpOpen.value) return null;
  const close = (): void => void (isHelpOpen.value = false);
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['/'], 'Search, from anywhere'],
    [['Ctrl', 'K'], 'Search, also while typing'],
    ...views.filter(({ isListed }) => isListed).map(({ key, title }) => [['g', key], title] as const),
    [['↑', '↓'], 'Move in a list'],
    [['Enter'], 'Open the selected item'],
    [['Esc'], 'Close a dialog or preview'],
    [['?'], 'Show keyboard shortcuts'],
  ];
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <table class="keys">
        <tbody>
          {rows.map(([keys, does]) => (
            <tr key={does}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="dialog-buttons">
        <button type="button" class="primary" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
