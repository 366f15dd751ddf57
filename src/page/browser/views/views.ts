import type { View } from './view.ts';

/** Returns a predicate for `home` and the paths below it. */
const below =
  (home: string) =>
  (path: string): boolean =>
    path === home || path.startsWith(`${home}/`);

/** The views, in the order of the navigation. */
export const views: readonly View[] = [
  {
    name: 'home',
    title: 'Home',
    key: 'h',
    icon: 'home',
    home: '/',
    isListed: true,
    matches: (path) => path === '/',
    load: async () => (await import('./home/home.tsx')).Home,
  },
  {
    name: 'search',
    title: 'Search',
    key: 's',
    icon: 'search',
    home: '/search',
    isListed: true,
    matches: below('/search'),
    load: async () => (await import('./search/search.tsx')).Search,
  },
  {
    name: 'file',
    title: 'File',
    key: '',
    icon: 'file',
    home: '/note',
    isListed: false,
    matches: (path) => /^\/(?:note|file)\/.+\.(?:base|canvas)$/i.test(path),
    load: async () => (await import('./files/file-view.tsx')).FileView,
  },
  {
    name: 'note',
    title: 'Notes',
    key: 'n',
    icon: 'note',
    home: '/note',
    isListed: true,
    matches: below('/note'),
    load: async () => (await import('./note/note-page.tsx')).NoteView,
  },
  {
    name: 'attachment',
    title: 'File',
    key: '',
    icon: 'file',
    home: '/file',
    isListed: false,
    matches: below('/file'),
    load: async () => (await import('./attachment/attachment-page.tsx')).AttachmentView,
  },
  {
    name: 'tag',
    title: 'Tags',
    key: '',
    icon: 'tag',
    home: '/tag',
    isListed: false,
    matches: below('/tag'),
    load: async () => (await import('./tag/tag-page.tsx')).TagView,
  },
  {
    name: 'code',
    title: 'Code',
    key: '',
    icon: 'file',
    home: '/code',
    isListed: false,
    matches: below('/code'),
    load: async () => (await import('./code/code-page.tsx')).CodeView,
  },
  {
    name: 'attention',
    title: 'Needs attention',
    key: '',
    icon: 'warning',
    home: '/attention',
    isListed: false,
    matches: below('/attention'),
    load: async () => (await import('./attention/attention.tsx')).AttentionView,
  },
  {
    name: 'graph',
    title: 'Graph',
    key: 'g',
    icon: 'graph',
    home: '/graph',
    isListed: true,
    matches: below('/graph'),
    load: async () => (await import('./graph/graph.tsx')).GraphView,
  },
  {
    name: 'tasks',
    title: 'Tasks',
    key: 't',
    icon: 'tasks',
    home: '/tasks',
    isListed: true,
    matches: below('/tasks'),
    load: async () => (await import('./tasks/tasks.tsx')).Tasks,
  },
  {
    name: 'memory',
    title: 'Memory',
    key: 'm',
    icon: 'memory',
    home: '/memory',
    isListed: true,
    matches: below('/memory'),
    load: async () => (await import('./memory/memory.tsx')).Memory,
  },
  {
    name: 'knowledge',
    title: 'Knowledge',
    key: 'k',
    icon: 'knowledge',
    home: '/knowledge',
    isListed: true,
    matches: below('/knowledge'),
    load: async () => (await import('./knowledge/knowledge.tsx')).Knowledge,
  },
  {
    name: 'activity',
    title: 'Activity',
    key: 'a',
    icon: 'activity',
    home: '/activity',
    isListed: true,
    matches: below('/activity'),
    load: async () => (await import('./activity/activity.tsx')).ActivityView,
  },
];

/** Returns the view of a path, or null. */
export function findView(path: string): View | null {
  return views.find((view) => view.matches(path)) ?? null;
}
