import type { Config } from '../../config.ts';
import { parseObsidianSettings } from '../obsidian/settings-file.ts';

/** How a rewritten link names its target. `minimal` keeps its present form while that form still works. */
export type LinkFormat = 'minimal' | 'shortest' | 'relative' | 'absolute';

/** How links are written in a vault. */
export interface LinkStyle {
  readonly format: LinkFormat;
  /** Whether new links are Markdown links. Rewritten links keep their form. */
  readonly markdown: boolean;
}

/** Returns the style from the configuration, else from Obsidian's `app.json` (its text; null when there is none). */
export function linkStyleOf(config: Pick<Config, 'links'>, appJson: string | null): LinkStyle {
  const app = appJson === null ? null : parseObsidianSettings(appJson);
  const newLinkFormat = app?.['newLinkFormat'];
  const obsidian = newLinkFormat === 'relative' || newLinkFormat === 'absolute' ? newLinkFormat : 'shortest';
  return {
    format: config.links.format ?? (app === null ? 'minimal' : obsidian),
    markdown: config.links.markdown ?? app?.['useMarkdownLinks'] === true,
  };
}
