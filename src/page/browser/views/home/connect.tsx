import { useEffect, useState } from 'preact/hooks';
import type { Connections } from '../../../../faces/http/api/connect.ts';
import { base } from '../../shell/vault-path.ts';
import { fetchConnections } from '../../api.ts';
import { CopyButton } from './copy-button.tsx';

type Connection = Connections['local'][number];

/** How an agent is connected to this vault: the command or lines for each client, with copy buttons. `isOpen`: shown unfolded. */
export function Connect({ isOpen }: { readonly isOpen: boolean }) {
  const [connections, setConnections] = useState<Connections | null>(null);
  useEffect(() => {
    // If it fails, the section is not shown: nothing else depends on it.
    fetchConnections().then(setConnections, () => undefined);
  }, []);
  if (connections === null) return null;
  const { local, remote } = connections;
  const mcp = `${location.origin}${base}/mcp`;
  const filled = remote.map(({ client, ways }) => ({
    client,
    ways: ways.map(({ how, text }) => ({ how, text: text.replaceAll('{url}', mcp).replaceAll('{token}', 'YOUR-TOKEN') })),
  }));
  if (local.length + filled.length === 0) return null;
  const needsToken = remote.some(({ ways }) => ways.some(({ text }) => text.includes('{token}')));
  return (
    <section aria-labelledby="connect" class="connect">
      <details open={isOpen}>
        <summary>
          <h2 id="connect">Connect an agent</h2>
        </summary>
        <p class="quiet">Agents then read and write in this vault, and you see here what they do.</p>
        {local.length === 0 ? (
          <Remote connections={filled} needsToken={needsToken} />
        ) : (
          <>
            <Clients connections={local} />
            <details class="connect-remote">
              <summary>On another machine, over HTTP</summary>
              <Remote connections={filled} needsToken={needsToken} />
            </details>
          </>
        )}
      </details>
    </section>
  );
}

function Remote({ connections, needsToken }: { readonly connections: readonly Connection[]; readonly needsToken: boolean }) {
  return (
    <>
      <Clients connections={connections} />
      {needsToken ? (
        <p class="quiet">
          Put a token in place of YOUR-TOKEN: <code>roux token add NAME</code> makes one.
        </p>
      ) : null}
    </>
  );
}

function Clients({ connections }: { readonly connections: readonly Connection[] }) {
  const [name, setName] = useState('');
  const chosen = connections.find(({ client }) => client === name) ?? connections[0];
  if (chosen === undefined) return null;
  return (
    <>
      <div class="connect-clients" role="group" aria-label="Clients">
        {connections.map(({ client }) => (
          <button key={client} type="button" aria-pressed={client === chosen.client} onClick={() => setName(client)}>
            {client}
          </button>
        ))}
      </div>
      {chosen.ways.map(({ how, text }) => (
        <div class="connect-way" key={how}>
          <p>
            {how}:
            <CopyButton text={text} what={`for ${chosen.client}`} />
          </p>
          <pre tabIndex={0} aria-label={`${how} (${chosen.client})`}>
            {text}
          </pre>
        </div>
      ))}
    </>
  );
}
