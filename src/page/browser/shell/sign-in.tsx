import { useEffect, useRef } from 'preact/hooks';
import { access, saveToken } from '../session.ts';
import { usePageTitle } from '../parts/page-title.ts';

/** Asks for the token that the server printed when it started. */
export function SignIn() {
  const field = useRef<HTMLInputElement>(null);
  usePageTitle('Sign in');
  useEffect(() => field.current?.focus(), []);
  const wasRefused = access.value === 'refused';
  const submit = (event: Event): void => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text === '') return field.current?.focus();
    saveToken(text);
    access.value = 'asking';
  };
  return (
    <main id="main" class="sign-in" tabIndex={-1}>
      <form onSubmit={submit}>
        <h1>roux</h1>
        <p>
          You need the token of this vault. <code>roux serve</code> prints an address that contains it when it starts.
        </p>
        {wasRefused ? (
          <p class="failure" role="alert">
            The server refused this token. It may have been replaced: check the address that the server printed last.
          </p>
        ) : null}
        <label for="token">Token</label>
        <input id="token" ref={field} type="password" autocomplete="off" spellcheck={false} required aria-invalid={wasRefused} />
        <button type="submit" class="primary">
          Open the vault
        </button>
        <p class="quiet">The token is stored in this tab only, until you close it.</p>
      </form>
    </main>
  );
}
