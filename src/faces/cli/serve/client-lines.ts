/** Where a server is, and how clients name themselves to it. */
export interface Served {
  /** `http://127.0.0.1:7411/mcp`. */
  readonly url: string;
  /** The bearer token as a shell gets it, and as a file holds it; null when none is asked for. */
  readonly token: { readonly inShell: string; readonly inFile: string } | null;
}

/** What connects the clients that people use, each in the words that it takes: commands of theirs where they have one, else lines of their files. */
export function clientLines({ url, token }: Served): readonly (readonly [client: string, line: string])[] {
  const header = token === null ? '' : ` --header "Authorization: Bearer ${token.inShell}"`;
  const headers = token === null ? {} : { headers: { Authorization: `Bearer ${token.inFile}` } };
  return [
    ['Claude Code', `claude mcp add --transport http roux ${url}${header}`],
    ['Gemini CLI', `gemini mcp add --scope user --transport http${header} roux ${url}`],
    ['VS Code', JSON.stringify({ servers: { roux: { type: 'http', url, ...headers } } })],
    ['Windsurf', JSON.stringify({ mcpServers: { roux: { serverUrl: url, ...headers } } })],
    ['Others', JSON.stringify({ mcpServers: { roux: { url, ...headers } } })],
  ];
}
