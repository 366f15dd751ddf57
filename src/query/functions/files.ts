import { DateValue, Link } from '../values.ts';
import type { FileValue, MapValue, Pattern, Value } from '../values.ts';
import { fileName, foldKey, folderOf } from '../../note/path.ts';
import type { Run } from '../run.ts';
import { toText } from '../texts.ts';
import { defineMembers, chargedText, flattenArguments } from './method.ts';

/** The members of files. The name of a note is without `.md`, as Obsidian shows it. */
export const fileMembers = defineMembers<FileValue>({
  fields: {
    name: (_run, self) => (self.entry === null ? fileName(self.path) : stem(self.path)),
    basename: (_run, self) => stem(self.path),
    path: (_run, self) => self.path,
    folder: (_run, self) => folderOf(self.path),
    ext: (_run, self) => extension(self.path),
    size: (run, self) => self.entry?.stamp.size ?? timesOf(run, self)?.size ?? null,
    ctime(run, self) {
      const times = timesOf(run, self);
      return times === null ? null : new DateValue(times.createdMs, true);
    },
    mtime(run, self) {
      if (self.entry !== null) return new DateValue(Number(self.entry.stamp.mtimeNs / 1_000_000n), true);
      const times = timesOf(run, self);
      return times === null ? null : new DateValue(times.modifiedMs, true);
    },
    tags: (_run, self) => self.entry?.tags ?? [],
    aliases: (_run, self) => self.entry?.aliases ?? [],
    links: (run, self) => run.links(self, { isEmbed: false }),
    embeds: (run, self) => run.links(self, { isEmbed: true }),
    backlinks: (run, self) => run.backlinks(self),
    properties: (run, self) => run.properties(self),
    file: (_run, self) => self,
  },
  methods: {
    asLink: (run, self, [display = null]) =>
      new Link({
        linkpath: self.entry === null ? self.path : self.path.replace(/\.md$/i, ''),
        display: display === null ? null : toText(run, display),
        from: '',
        target: self.path,
      }),
    hasLink: (run, self, [other = null]) => run.hasLink(self, other),
    linksTo: (run, self, [other = null]) => run.hasLink(self, other),
    hasProperty: (run, self, [name = null]) => run.hasProperty(self, toText(run, name)),
    hasTag(run, self, wanted) {
      if (self.entry === null) return false;
      const { tags } = self.entry;
      run.charge(1 + tags.length * wanted.length);
      return tags.length > 0 && flattenArguments(run, wanted).some((each) => hasTag(tags, chargedText(run, toText(run, each))));
    },
    inFolder(run, self, [folder = null]) {
      const wanted = chargedText(run, toText(run, folder))
        .split(/[\\/]+/)
        .filter((name) => name !== '')
        .join('/');
      return wanted === '' || self.path.startsWith(`${wanted}/`);
    },
    isEmpty: () => false,
  },
});

function timesOf(run: Run, { path }: FileValue) {
  run.charge(100);
  return run.source.timesOf(path);
}

function stem(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

function extension(path: string): string {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1);
}

function hasTag(tags: readonly string[], wanted: string): boolean {
  const key = foldKey(wanted.replace(/^#/, ''));
  return tags.some((tag) => {
    const own = foldKey(tag);
    return own === key || own.startsWith(`${key}/`);
  });
}

export const linkMembers = defineMembers<Link>({
  methods: {
    asFile: (run, self) => run.toFile(self),
    linksTo(run, self, [other = null]) {
      const file = run.toFile(self);
      return file !== null && run.hasLink(file, other);
    },
    isEmpty: (_run, self) => self.linkpath === '' && self.subpath === '',
  },
});

export const mapMembers = defineMembers<MapValue>({
  methods: {
    isEmpty: (_run, self) => self.entries.size === 0,
    keys: (run, self) => listed(run, self, self.entries.keys()),
    values: (run, self) => listed(run, self, self.entries.values()),
  },
});

function listed(run: Run, { entries }: MapValue, values: Iterable<Value>): Value {
  run.charge(entries.size);
  return [...values];
}

export const patternMembers = defineMembers<Pattern>({
  methods: {
    matches(run, self, [value = null]) {
      return run.match(self, toText(run, value), (regex) => regex.test(toText(run, value)));
    },
  },
});
