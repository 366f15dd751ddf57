import type { Config } from '../../config.ts';
import { parseObsidianSettings } from '../obsidian/settings-file.ts';

/** How a rewritten link names its target. `minimal` keeps the form it has while that form still leads there. */
export type LinkFormat = 'minimal' | 'shortest' | 'relative' | 'absolute';

/** How links are written in a vault. */
export interface LinkStyle {
  readonly format: LinkFormat;
  /** New links are Markdown links; rewritten ones keep their form. */
  readonly markdown: boolean;
}

/** The style from the configuration, else from Obsidian's `app.json` (its text, null where there is no `.obsidian`). */
export function linkStyleOf(config: Pick<Config, 'links'>, appJson: string | null): LinkStyle {
  const app = appJson === null ? null : parseObsidianSettings(appJson);
  const newLinkFormat = app?.['newLinkFormat'];
  const obsidian = newLinkFormat === 'relative' || newLinkFormat === 'absolute' ? newLinkFormat : 'shortest';
  return {
    format: config.links.format ?? (app === null ? 'minimal' : obsidian),
    markdown: config.links.markdown ?? app?.['useMarkdownLinks'] === true,
  };
}
