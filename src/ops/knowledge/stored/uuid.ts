import { RouxError } from '../../../errors.ts';

/** Valid uuids of entities and episodes, which become ids of notes. */
export const UUID = /^[A-Za-z0-9][\w.:-]{0,127}$/;

/** Throws `INVALID_ARGUMENT` if a text is not a valid uuid. */
export function checkUuid(uuid: string): void {
  if (UUID.test(uuid)) return;
  throw new RouxError(
    'INVALID_ARGUMENT',
    `${JSON.stringify(uuid.slice(0, 60))} is not a valid uuid: use letters, digits, "-", "_", "." and ":", at most 128 characters.`,
    {
      uuid: uuid.slice(0, 200),
    },
  );
}
