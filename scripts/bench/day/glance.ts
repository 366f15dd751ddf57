/** Names whose spelling does not say which note is meant: what is asked to see the link, and the text that then tells it. */
export const UNSURE: Readonly<
  Record<string, { readonly look: readonly [string, Readonly<Record<string, unknown>>]; readonly cue: string; readonly to: string }>
> = {
  Show: { look: ['get_node', { id: 'References/Futurama.md' }], cue: '"categories":["[[Show]]"]', to: 'Categories/Shows.md' },
  'Settings tab': {
    look: ['search', { query: '[[Settings tab', mode: 'exact', limit: 1 }],
    cue: 'extends [[Settings tab|PluginSettingTab]]',
    to: 'PluginSettingTab',
  },
};

/** Whether two names are one but for a few letters, spaces and folders: what an agent sees at a glance. */
export function isSame(ghost: string, path: string): boolean {
  const plain = (name: string): string => name.replace(/^.*\//, '').replace(/\.md$/, '').toLowerCase().replaceAll(/[ _-]/g, '');
  const [a, b] = [plain(ghost), plain(path)];
  if (UNSURE[ghost] !== undefined || /\d/.test(a + b)) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - same && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - same - end <= 2;
}
