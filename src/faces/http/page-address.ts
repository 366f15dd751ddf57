/** The views of the web page, each at an address of its own with whatever stands below it. */
const VIEWS: ReadonlySet<string> = new Set(['', 'search', 'note', 'graph', 'tasks', 'memory', 'knowledge', 'activity']);

/** Whether an address is the page's or a file of it: nothing of a vault is in those, so they ask for no token (V-02). */
export function isPageAddress(path: string): boolean {
  const [, first = '', ...rest] = path.split('/');
  if (first === 'assets') return rest.length === 1;
  if (/^favicon\.(?:ico|svg)$/.test(first)) return rest.length === 0;
  return VIEWS.has(first) && (first !== '' || rest.length === 0);
}
