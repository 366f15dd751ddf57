/** A small bundle of the Open Knowledge Format, written for these tests. */
export const BUNDLE: Readonly<Record<string, string>> = {
  'index.md':
    '---\nokf_version: "0.2"\n---\n\n# Garden\n\n* [beds](beds/) - what grows where\n* [rules](rules/index.md) - how it is done\n',
  'log.md':
    '# Log\n\n## 2026-05-02\n* **Update**: [Tomatoes](/beds/tomato.md) moved to the south.\n\n## 2026-04-01\n* **Creation**: everything.\n',
  'beds/index.md': '# Bed\n\n* [Tomatoes](tomato.md) - red ones\n',
  'beds/tomato.md': `---
type: Bed
title: Tomatoes
description: Red ones, in the south.
tags: [food]
status: stable
generated: { by: gardener/1.0, at: 2026-04-01T08:00:00Z }
verified: { by: "human:ana", at: 2026-05-01T08:00:00Z }
stale_after: 2026-06-01T00:00:00Z
sources:
  - { id: almanac, resource: /rules/water.md, title: Almanac }
---

# Notes

Watered as [the rule](/rules/water.md) says, beside [beans](bean.md).[^almanac]

[^almanac]: Almanac
`,
  'beds/bean.md':
    '---\ntype: Bed\ntitle: Beans\n---\n\nBeside [tomatoes](./tomato.md), see [all rules](../rules/) and [nothing yet](/beds/pea.md).\n',
  'rules/index.md': '# Rule\n\n* [Water](water.md) - in the morning\n',
  'rules/water.md': '---\ntype: Rule\ntitle: Water\n---\n\nIn the morning. Not [this index](index.md).\n',
  'bean.md': '---\ntype: Dish\ntitle: Bean soup\n---\n\nMade of [beans](/beds/bean.md).\n',
};

/** The same bundle in a folder of a vault. */
export function bundleIn(folder: string, files: Readonly<Record<string, string>> = BUNDLE): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

/** Without what says that it is a bundle. */
export const UNDECLARED: Readonly<Record<string, string>> = {
  ...BUNDLE,
  'index.md': (BUNDLE['index.md'] ?? '').replace(/^---[\s\S]*?---\n\n/, ''),
};
