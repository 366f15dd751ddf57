/** The public vaults in which the day is spent. */
export type DayVault = 'kepano' | 'obsidian-developer-docs';

/** A text of a note that is put wrong, and what stands there once it is repaired. */
export interface TextFault {
  readonly kind: 'link' | 'list' | 'heading';
  readonly vault: DayVault;
  /** Path in the vault. */
  readonly file: string;
  /** As in the public vault. */
  readonly before: string;
  readonly wrong: string;
  /** Differs from `before` where an item of a list came with the fault and has to stay, and where another link leads there too. */
  readonly right: string;
}

/** A note in a folder where it does not belong. */
export interface PlaceFault {
  readonly kind: 'folder';
  readonly vault: DayVault;
  readonly file: string;
  readonly wrong: string;
}

export type Fault = TextFault | PlaceFault;

const DOCS: DayVault = 'obsidian-developer-docs';

/** The thirty repairs of the day. */
export const FAULTS: readonly Fault[] = [
  ...links('kepano', [
    ['References/Blade Runner.md', '[[Movies]]', '[[Movis]]'],
    ['References/Catan.md', '[[Board games]]', '[[Boardgames]]'],
    ['References/Well Made 145 Kevin Kelly.md', '[[Podcast episodes]]', '[[podcast-episodes]]'],
    ['Notes/2023-09-12 Meeting with Steph.md', '[[Steph Ango]]', '[[steph-ango]]'],
    ['Notes/Product usage analysis.md', '[[Buy wisely]]', '[[Buy wisly]]'],
    ['Clippings/In good hands.md', '[[Posts]]', '[[Archive/Posts]]'],
    ['Notes/2023 Japan Trip.md', '[[Kyoto]]', '[[Places/Kyoto]]'],
    ['References/Kevin Kelly.md', '[[People]]', '[[Poeple]]'],
    // "Show Template" is as near as the category.
    ['References/Futurama.md', '[[Shows]]', '[[Show]]'],
  ]),
  ...links(DOCS, [
    ['Plugins/Editor/View plugins.md', '[[Viewport]]', '[[View port]]'],
    ['Plugins/Editor/State management.md', '[[State fields]]', '[[state-fields]]'],
    ['Plugins/Releasing/Release your plugin with GitHub Actions.md', '[[Submit your plugin]]', '[[Submit you plugin]]'],
    // A link with a folder gets a folder.
    [
      'Themes/App themes/Release your theme with GitHub Actions.md',
      '[[Submit your theme]]',
      '[[Themes/Submit your theme]]',
      '[[App themes/Submit your theme]]',
    ],
    ['Themes/App themes/Build a theme.md', '[[CSS variables]]', '[[CSS variabels]]'],
    ['Community directory/Community directory.md', '[[Set up and claim]]', '[[Setup and claim]]'],
    ['Community directory/Submission requirements for plugins.md', '[[Developer policies]]', '[[Developer polices]]'],
    ['Plugins/User interface/Status bar.md', '[[HTML elements]]', '[[HTML element]]'],
    // "Settings" and "SettingTab" are nearer than what is meant.
    ['Plugins/User interface/Settings.md', '[[PluginSettingTab|', '[[Settings tab|'],
  ]),
  list('kepano', 'Categories/Books.md', 'tags:\n  - categories\n', 'tags:\n  - category\n'),
  list('kepano', 'Categories/Games.md', 'tags:\n  - categories\n', 'tags:\n  - category\n'),
  list('kepano', 'Categories/Recipes.md', 'tags:\n  - categories\n', 'tags:\n  - to-file\n', 'tags:\n  - to-file\n  - categories\n'),
  list(DOCS, `${css('Components')}/Button.md`, 'cssclasses: reference', 'cssclasses: [wide]', 'cssclasses: [wide, reference]'),
  list(DOCS, `${css('Foundations')}/Cursor.md`, 'cssclasses: reference', 'cssclasses: [referense]', 'cssclasses: [reference]'),
  list(
    DOCS,
    `${css('Foundations')}/Radiuses.md`,
    'cssclasses: reference',
    'cssclasses: [referense, wide]',
    'cssclasses: [wide, reference]',
  ),
  heading('Plugins/Guides/Migrate to declarative settings.md', 'Settings#Validating input', 'Settings#Validate input'),
  heading('Plugins/Editor/Decorations.md', 'State fields#Defining a state field', 'State fields#Define a state field'),
  heading(
    'Plugins/Editor/Communicating with editor extensions.md',
    'State fields#Dispatching state effects',
    'State fields#Dispatch state effects',
  ),
  { kind: 'folder', vault: 'kepano', file: 'Categories/Albums.md', wrong: 'Notes/Albums.md' },
  { kind: 'folder', vault: 'kepano', file: 'Templates/Recipe Template.md', wrong: 'Notes/Recipe Template.md' },
  { kind: 'folder', vault: DOCS, file: `${css('Editor')}/Tag.md`, wrong: 'Plugins/Tag.md' },
];

/** The copy that is merged, with more text, a tag and an item of a list that the note lacks, and a note that links to it. */
export const COPY = {
  vault: 'kepano' as DayVault,
  of: 'Clippings/Buy wisely.md',
  path: 'Clippings/Buy wisely copy.md',
  tag: 'money',
  topic: '[[Evergreen]]',
  text: 'A knife that is sharpened once a year outlives three that are not.',
  linking: 'Daily/2023-10-01.md',
} as const;

/** The most often linked note of the documentation, and its new name. */
export const HUB = {
  vault: DOCS,
  folder: 'Reference/TypeScript API',
  from: 'Component',
  to: 'LifecycleComponent',
} as const;

function css(folder: string): string {
  return `Reference/CSS variables/${folder}`;
}

function links(vault: DayVault, rows: readonly (readonly [file: string, before: string, wrong: string, right?: string])[]): TextFault[] {
  return rows.map(([file, before, wrong, right = before]) => ({ kind: 'link', vault, file, before, wrong, right }));
}

function list(vault: DayVault, file: string, before: string, wrong: string, right = before): TextFault {
  return { kind: 'list', vault, file, before, wrong, right };
}

function heading(file: string, right: string, wrong: string): TextFault {
  return { kind: 'heading', vault: DOCS, file, before: `[[${right}`, wrong: `[[${wrong}`, right: `[[${right}` };
}
