import type { NoteEmbeddings } from '../../graph/semantic/embeddings.ts';
import type { GraphView } from '../../graph/view.ts';

/**
 * Limits semantic search to the notes of some folders. The vectors are those of the whole vault; results and counts cover the inside only.
 */
export function scopeEmbeddings(
  whole: NoteEmbeddings,
  { graph, name }: { readonly graph: GraphView; readonly name: string },
): NoteEmbeddings {
  const isShown = (path: string): boolean => graph.get(path)?.isHidden === false;
  const count = (): { readonly embedded: number; readonly all: number } => {
    const listed = graph.listed({});
    const { embedded, all } = whole.status().notes;
    if (all === 0) return { embedded: 0, all: 0 };
    // Only while notes are waiting does each have to be checked.
    if (embedded === all) return { embedded: listed.size, all: listed.size };
    const notes = listed.slice(0, listed.size);
    return { embedded: notes.filter(({ path }) => whole.isEmbedded(path)).length, all: listed.size };
  };
  return {
    status() {
      const { provider, state, reason, language } = whole.status();
      const notes = count();
      const waiting = notes.all - notes.embedded;
      const reads = language === undefined ? {} : { language };
      return {
        provider,
        state,
        embedded: notes.embedded,
        waiting,
        notes,
        ...reads,
        ...(reason === undefined || waiting === 0 ? {} : { reason }),
      };
    },
    embedQuery: (text, signal) => whole.embedQuery(text, signal),
    // Equal texts share a vector, so a collection of its own costs no extra embedding.
    collection: (space) => whole.collection(`${space} of ${name}`),
    ensureLoaded: () => whole.ensureLoaded(),
    whenLoaded: () => whole.whenLoaded(),
    checkStore: () => whole.checkStore(),
    get coverage() {
      const { coverage } = whole;
      if (coverage === 0 || coverage === 1) return coverage;
      const { embedded, all } = count();
      return all === 0 ? 1 : embedded / all;
    },
    isEmbedded: (path) => isShown(path) && whole.isEmbedded(path),
    scoreNotes: (vector) => whole.scoreNotes(vector).filter(({ path }) => isShown(path)),
    getNoteVector: async (path, signal) => (isShown(path) ? whole.getNoteVector(path, signal) : null),
  };
}
