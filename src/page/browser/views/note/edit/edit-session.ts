import { signal } from '@preact/signals';
import { ApiError, callOperation } from '../../../api.ts';
import type { Result } from '../../../operations.ts';
import { describeError } from '../../../parts/words/error-text.ts';
import { discardDraft, readDraft, storeDraft } from './drafts.ts';

type Merge = Result<'merge_edit'>;
export type MergePart = Merge['parts'][number];

/** What became of the note on disk while it was edited here. */
export type DiskChange =
  | { readonly kind: 'merges'; readonly merge: Merge; readonly text: string }
  /** `ours`: the text that was merged; more may have been typed since. */
  | { readonly kind: 'conflicts'; readonly merge: Merge; readonly ours: string }
  /** It changed, and the text that was edited is not known any more. */
  | { readonly kind: 'unknown'; readonly theirs: string; readonly etag: string }
  | { readonly kind: 'gone' };

/** The lines of a section that is edited alone. */
interface Section {
  readonly before: string;
  readonly after: string;
}

/** The editor as a session sees it. */
export interface EditedText {
  text(): string;
  replace(text: string): void;
  focus(): void;
}

const NO_TEXT: EditedText = { text: () => '', replace: () => undefined, focus: () => undefined };

/** One edit of a note: the text that was opened, what was typed, and what happens to both. */
export class EditSession {
  /** The path of the note, which follows a rename. */
  path: string;
  title = '';
  /** What the editor begins with. */
  initialText = '';
  heading: string | null = null;
  readonly isDirty = signal(false);
  readonly isSaving = signal(false);
  readonly disk = signal<DiskChange | null>(null);
  /** The time of a draft with which the editor began. */
  readonly draftAt = signal<number | null>(null);
  readonly isStored = signal(true);
  /** What became of the last save. */
  readonly outcome = signal<{ readonly text: string; readonly isBad: boolean } | null>(null);
  editor: EditedText = NO_TEXT;
  #base: string | null = '';
  #etag = '';
  #section: Section | null = null;
  /** The texts of saves without an answer: one of them may be in the note. */
  readonly #sent = new Set<string>();
  /** The write that was asked for last. */
  #last: Promise<boolean> = Promise.resolve(true);

  constructor(path: string) {
    this.path = path;
  }

  /** Fetches the text, or takes the draft of an earlier edit. Throws `ApiError`. */
  async open(anchor: string): Promise<void> {
    const draft = readDraft(this.path);
    const source = await callOperation('edit_source', { path: this.path, ...(anchor === '' ? {} : { section: anchor }) }).catch(
      (error: unknown) => {
        if (draft === null || !(error instanceof ApiError) || error.status === 401) throw error;
        return null;
      },
    );
    this.title = source?.title ?? this.path.replace(/^.*\//, '').replace(/\.md$/, '');
    if (source !== null) this.path = source.path;
    if (draft === null || (source !== null && draft.text === source.text)) {
      discardDraft(this.path);
      this.#take(source?.text ?? '', source?.etag ?? '');
      if (source?.section != null) this.#cut(source.section);
      this.initialText = this.#shown(source?.text ?? '');
      return;
    }
    this.#take(draft.base, draft.etag);
    this.initialText = draft.text;
    this.draftAt.value = draft.at;
    this.isDirty.value = true;
    if (source === null) this.outcome.value = { text: 'The note cannot be read now. This is your unsaved text.', isBad: true };
    else if (source.etag !== draft.etag && draft.base === null)
      this.disk.value = { kind: 'unknown', theirs: source.text, etag: source.etag };
  }

  #take(base: string | null, etag: string): void {
    this.#base = base;
    this.#etag = etag;
  }

  #cut({ from, to, heading }: NonNullable<Result<'edit_source'>['section']>): void {
    const lines = (this.#base ?? '').split('\n');
    const [start, end] = [lines.slice(0, from), lines.slice(to)];
    this.heading = heading;
    this.#section = { before: start.map((line) => `${line}\n`).join(''), after: end.length === 0 ? '' : `\n${end.join('\n')}` };
  }

  #shown(text: string): string {
    const { before, after } = this.#section ?? { before: '', after: '' };
    return text.slice(before.length, text.length - after.length);
  }

  /** Returns the whole text of the note as it is to be. */
  text(): string {
    const { before, after } = this.#section ?? { before: '', after: '' };
    return before + this.editor.text() + after;
  }

  /** Notes that something was typed. The draft is stored by `store`. */
  typed(): void {
    this.isDirty.value = true;
    this.outcome.value = null;
  }

  /** Stores what was typed in the tab, or forgets it if it is what the note says. */
  store(): void {
    if (!this.isDirty.value) return;
    const text = this.text();
    this.isDirty.value = text !== this.#base;
    if (this.isDirty.value) this.isStored.value = storeDraft({ path: this.path, base: this.#base, etag: this.#etag, text, at: Date.now() });
    else discardDraft(this.path);
  }

  /** Looks whether the note changed on disk. A change is taken over at once if nothing was typed. Throws `ApiError`. */
  async compare(): Promise<void> {
    const text = this.text();
    try {
      if (this.#base === null) return;
      const etag = this.#etag;
      const merge = await callOperation('merge_edit', { path: this.path, base: this.#base, text });
      this.#follow(merge.path);
      // More was typed, or a save was made, meanwhile.
      if (this.text() !== text || this.#etag !== etag) return await this.compare();
      if (merge.etag === this.#etag) return void (this.disk.value = null);
      if (this.#sent.has(merge.theirs)) return this.#arrived(merge);
      if (text === this.#base || text === merge.theirs) return this.accept(merge.theirs, merge);
      const isMerged = merge.parts.every(({ kind }) => kind === 'agreed');
      this.disk.value = isMerged ? { kind: 'merges', merge, text: joinParts(merge.parts) } : { kind: 'conflicts', merge, ours: text };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'NODE_NOT_FOUND') throw error;
      this.disk.value = { kind: 'gone' };
    }
  }

  /** Takes the text of a save whose answer was lost as saved. */
  #arrived({ theirs, etag }: Merge): void {
    this.#take(theirs, etag);
    this.#sent.clear();
    this.disk.value = null;
    this.store();
    this.#sayIfSaved();
  }

  #sayIfSaved(): void {
    if (!this.isDirty.value) this.outcome.value = { text: 'Saved', isBad: false };
  }

  #follow(path: string): void {
    if (path === this.path) return;
    discardDraft(this.path);
    this.path = path;
  }

  /** Returns the section that is edited in a changed text, or null if it changed too: then the whole note is shown. */
  #findSection(text: string): Section | null {
    if (this.#section === null) return null;
    const { before, after } = this.#section;
    const own = this.editor.text();
    if (text.endsWith(own + after)) return { before: text.slice(0, text.length - own.length - after.length), after };
    if (text.startsWith(before + own)) return { before, after: text.slice(before.length + own.length) };
    return text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length ? { before, after } : null;
  }

  /** Merges what was typed until now with what is on disk, if both touch other lines. Throws `ApiError`. */
  async merge(): Promise<void> {
    // What was merged before lacks what was typed since.
    await this.compare();
    const disk = this.disk.value;
    if (disk?.kind === 'merges') this.accept(disk.text, disk.merge);
  }

  /** Goes on with a text that has what is on disk in it, or replaces it. */
  accept(text: string, { theirs, etag }: { readonly theirs: string; readonly etag: string }): void {
    this.#section = this.#findSection(text);
    this.#take(theirs, etag);
    this.disk.value = null;
    this.editor.replace(this.#shown(text));
    this.isDirty.value = true;
    this.store();
  }

  /** Saves, after a save that is under way. Returns whether the note now has the text. What cannot be saved stays in the editor and in the tab. */
  save(): Promise<boolean> {
    return this.#inTurn(async () => {
      this.store();
      if (!this.isDirty.value) {
        // It may have been found saved after its answer was lost.
        if (this.disk.value === null) this.#sayIfSaved();
        return true;
      }
      if (this.disk.value?.kind === 'merges') await this.merge();
      if (this.disk.value !== null) return false;
      await this.#write(this.#etag);
      return !this.isDirty.value;
    });
  }

  /** Makes the note again from the text, after it was deleted on disk. */
  makeAgain(): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#write(null);
      this.disk.value = null;
      return true;
    });
  }

  /** Runs a write after those that are under way. Returns false if it fails, and shows why. */
  #inTurn(write: () => Promise<boolean>): Promise<boolean> {
    this.#last = this.#last.then(async () => {
      this.isSaving.value = true;
      try {
        return await write();
      } catch (error) {
        await this.#explain(error);
        return false;
      } finally {
        this.isSaving.value = false;
      }
    });
    return this.#last;
  }

  async #write(etag: string | null): Promise<void> {
    const text = this.text();
    const saved = await callOperation('save_edit', { path: this.path, text, if_match: etag }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'UNREACHABLE') this.#sent.add(text);
      throw error;
    });
    this.#sent.clear();
    this.#follow(saved.path);
    this.#take(text, saved.etag);
    this.draftAt.value = null;
    this.store();
    // More may have been typed while it was saved.
    this.outcome.value = this.isDirty.value ? null : { text: 'Saved', isBad: false };
  }

  async #explain(error: unknown): Promise<void> {
    const code = error instanceof ApiError ? error.code : '';
    if (code === 'CONFLICT') {
      await this.compare().catch((failure: unknown) => this.#explain(failure));
      // An earlier save whose answer was lost, after which more may have been typed.
      if (this.isDirty.value && this.disk.value === null) void this.save();
      else this.#sayIfSaved();
      return;
    }
    if (code === 'NODE_NOT_FOUND') return void (this.disk.value = { kind: 'gone' });
    // The page heard of the change before the answer was given up.
    if (code === 'UNREACHABLE' && !this.isDirty.value && this.disk.value === null) return this.#sayIfSaved();
    const kept = 'Your text is kept in this tab.';
    this.outcome.value = {
      text:
        code === 'UNREACHABLE'
          ? `The server cannot be reached. ${kept} Save again when it is back.`
          : `Not saved: ${describeError(error)} ${kept}`,
      isBad: true,
    };
  }

  /** Forgets what was typed. */
  discard(): void {
    this.isDirty.value = false;
    discardDraft(this.path);
  }
}

/** Returns the lines of merged parts as a text. A conflict has the lines that `choose` returns. */
export function joinParts(
  parts: readonly MergePart[],
  choose: (part: Extract<MergePart, { kind: 'conflict' }>, index: number) => readonly string[] = ({ ours }) => ours,
): string {
  return parts.flatMap((part, index) => (part.kind === 'agreed' ? part.lines : choose(part, index))).join('\n');
}
