import { useEffect, useRef } from 'preact/hooks';
import { access, signIn } from '../session.ts';
import { usePageTitle } from '../parts/page-title.ts';

/** Asks for the token that the server printed when it started. */
export function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  const remember = useRef<HTMLInputElement>(null);
  usePageTitle('Sign in');
  useEffect(() => field.current?.focus(), []);
  const wasRefused = access.value === 'refused';
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text === '') return field.current?.focus();
    signIn(text, { remember: remember.current?.checked === true });
  };
  return (
    <main id="main" class="sign-in" tabIndex={-1}>
      <form onSubmit={submit}>
        <h1>roux</h1>
        <p>
          To open this vault, enter its token. <code>roux serve</code> prints an address that has it, and <code>roux token</code> prints the
          file that it is in.
        </p>
        {wasRefused ? (
          <p class="failure" role="alert">
            The server does not accept this token. It may have started again with another one, or serve another vault: use the address that
            it printed last, or the one in the file that <code>roux token</code> prints.
          </p>
        ) : null}
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} required aria-invalid={wasRefused} />
        <label class="check">
          <input type="checkbox" ref={remember} />
          <span>
            Remember on this device
            <span class="quiet">Without this you stay signed in as long as a tab with the vault is open.</span>
          </span>
        </label>
        <button type="submit" class="primary">
          Open the vault
        </button>
      </form>
    </main>
  );
}
