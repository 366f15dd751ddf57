import { useState } from 'preact/hooks';
import { callOperation } from '../../api.ts';
import type { Result } from '../../operations.ts';
import { showFailedChange } from '../../parts/failed-change.ts';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NoteLink } from '../../parts/note-link.tsx';
import { Failure, Loading } from '../../parts/states.tsx';
import { canWrite } from '../../session.ts';
import { useOperation } from '../../use-operation.ts';
import { offerUndo } from './edit/offer-undo.ts';

type Mention = Result<'unlinked_mentions'>['mentions'][number];
type Place = NonNullable<Mention['lines'][number]['place']>;

/** Lists the lines of other notes that name this one without a link, each with a button that makes it one. */
export function UnlinkedMentions({ path }: { readonly path: string }) {
  const { value, error, reload } = useOperation('unlinked_mentions', { path });
  if (value === null) return error === null ? <Loading what="mentions" /> : <Failure error={error} reload={reload} />;
  if (value.mentions.length === 0) {
    return (
      <p class="quiet">
        {value.names.length === 0 ? 'The title is too short to search for.' : 'No note mentions this one without linking to it.'}
      </p>
    );
  }
  return (
    <>
      {error === null ? null : <Failure error={error} reload={reload} />}
      <ul class="backlinks">
        {value.mentions.map((mention) => (
          <li key={mention.path}>
            <NoteLink path={mention.path} title={mention.title} class="backlink-title" />
            {mention.lines.map(({ line, text, start, end, place }) => (
              <p class="backlink-line" key={line}>
                <span dir="auto">
                  <MarkedText text={text} marks={[[start, end]]} />
                </span>{' '}
                {place === undefined || !canWrite() ? null : <LinkButton mention={mention} place={place} target={path} onDone={reload} />}
              </p>
            ))}
            {mention.more === undefined ? null : <p class="quiet">and {mention.more} more</p>}
          </li>
        ))}
      </ul>
      {value.is_complete ? null : <p class="quiet">Not all notes were checked. Use search to find the rest.</p>}
    </>
  );
}

function LinkButton(props: { readonly mention: Mention; readonly place: Place; readonly target: string; readonly onDone: () => void }) {
  const { mention, place, target, onDone } = props;
  const [isBusy, setBusy] = useState(false);
  const link = async (): Promise<void> => {
    setBusy(true);
    try {
      const { batch } = await callOperation('link_mention', { path: mention.path, target, ...place, if_match: mention.etag });
      offerUndo(`“${mention.title}” now links here.`, batch);
    } catch (error) {
      showFailedChange(error);
    }
    setBusy(false);
    onDone();
  };
  return (
    <button
      type="button"
      class="quiet-button link-it"
      disabled={isBusy}
      aria-label={`Link it in ${mention.title}: ${place.name}`}
      onClick={() => void link()}
    >
      Link it
    </button>
  );
}
