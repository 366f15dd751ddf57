import { RouxError } from '../../../errors.ts';

/** What a caller may call an entity or an episode: it becomes the id of a note. */
export const UUID = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Refuses with `INVALID_ARGUMENT` what cannot be an id. */
export function checkUuid(uuid: string): void {
  if (UUID.test(uuid)) return;
  throw new RouxError(
    'INVALID_ARGUMENT',
    `${JSON.stringify(uuid.slice(0, 60))} cannot be a uuid: letters, digits, "-", "_", "." and ":", 128 at most.`,
    {
      uuid: uuid.slice(0, 200),
    },
  );
}
