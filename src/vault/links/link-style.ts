import type { Config } from '../../config.ts';

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
  const app = appJson === null ? null : readSettings(appJson);
  const newLinkFormat = app?.['newLinkFormat'];
  const obsidian = newLinkFormat === 'relative' || newLinkFormat === 'absolute' ? newLinkFormat : 'shortest';
  return {
    format: config.links.format ?? (app === null ? 'minimal' : obsidian),
    markdown: config.links.markdown ?? app?.['useMarkdownLinks'] === true,
  };
}

/** Obsidian rewrites its settings while it runs: a torn file counts as one with defaults. */
function readSettings(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
