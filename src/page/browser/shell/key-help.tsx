import { listKeys, nameKey } from '../commands.ts';
import { isHelpOpen } from '../keys.ts';
import { Dialog } from '../parts/dialog.tsx';

/** Lists the keyboard shortcuts that work in the current view. */
export function KeyHelp() {
  if (!isHelpOpen.value) return null;
  const close = (): void => void (isHelpOpen.value = false);
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <div class="dialog-body" tabIndex={0} role="group" aria-label="All shortcuts">
        {[...listKeys()].map(([group, rows]) => (
          <table class="keys" key={group}>
            <caption>{group}</caption>
            <tbody>
              {rows.map(({ keys, title }) => (
                <tr key={title}>
                  <th scope="row">
                    {keys.map((key, index) => (
                      <kbd key={index}>{nameKey(key)}</kbd>
                    ))}
                  </th>
                  <td>{title}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      </div>
      <div class="dialog-buttons">
        <button type="button" class="primary" autoFocus onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
