import { Icon } from '../parts/icon.tsx';
import { isRemembered, readToken, rememberToken, session, signOut } from '../session.ts';

/** Buttons to remember the token on this device and to sign out; nothing where the server needs no token. */
export function SignInState() {
  if (session.value === null || readToken() === null) return null;
  const isOn = isRemembered.value;
  return (
    <>
      <label class="check">
        <input type="checkbox" checked={isOn} onChange={() => rememberToken(!isOn)} />
        Remember on this device
      </label>
      <button type="button" class="quiet-button" title="Sign out, in all tabs with this vault" onClick={signOut}>
        <Icon name="leave" />
        <span class="wide-hidden">Sign out</span>
      </button>
    </>
  );
}
