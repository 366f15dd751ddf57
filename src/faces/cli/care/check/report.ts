import type { CheckReport } from '../../../../ops/care/check/check.ts';

type Finding = CheckReport['findings'][number];
export type CheckKind = Finding['kind'];
/** A part of a message: a text of ours, or a name that a note or a file gives and that may hold anything. */
export type MessagePart = Finding['message'][number];

/** Returns a message as plain text. */
export function toText(message: readonly MessagePart[]): string {
  return message.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}

/** Returns the path of a note from the top of the repository. */
export function toFile({ place }: Pick<CheckReport, 'place'>, path: string): string {
  return place === '' ? path : `${place}/${path}`;
}

/** Groups findings by kind: first those that fail, each in the order of the report. */
export function groupByKind({
  findings,
  fail,
}: Pick<CheckReport, 'findings' | 'fail'>): readonly (readonly [kind: CheckKind, findings: readonly Finding[]])[] {
  const groups = new Map<CheckKind, Finding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.kind);
    if (group === undefined) groups.set(finding.kind, [finding]);
    else group.push(finding);
  }
  const isTold = ([kind]: readonly [CheckKind, unknown]): number => (fail.includes(kind) ? 0 : 1);
  return [...groups].toSorted((a, b) => isTold(a) - isTold(b));
}

/** Returns how many findings fail. */
export function countFailing({ findings, fail }: Pick<CheckReport, 'findings' | 'fail'>): number {
  return findings.filter(({ kind }) => fail.includes(kind)).length;
}

/** Returns a report for programs. `path` is a path in the vault; `file` and `files` are from the top of the repository. */
export function toJson(report: CheckReport) {
  const { notes, since, findings, fail, incomplete } = report;
  return {
    notes,
    fail,
    failed: countFailing(report),
    ...(since === undefined
      ? {}
      : {
          since: since.commit,
          touched: since.touched.map(({ path, title, files, isNoteChanged }) => ({
            path,
            file: toFile(report, path),
            title,
            files,
            note_changed: isNoteChanged,
          })),
        }),
    findings: findings.map(({ kind, path, line, message }) => ({
      kind,
      fails: fail.includes(kind),
      path,
      file: toFile(report, path),
      line,
      message: toText(message),
    })),
    ...(incomplete.length === 0 ? {} : { incomplete }),
  };
}
