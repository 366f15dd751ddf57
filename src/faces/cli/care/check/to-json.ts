import type { CheckReport } from '../../../../ops/care/check/check.ts';
import { countFailing, toFile, toText } from './report.ts';

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
