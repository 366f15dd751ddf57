import type { CheckReport } from '../../../../ops/care/check/check.ts';
import { createHash } from 'node:crypto';
import { CHECK_KINDS } from '../../../../config.ts';
import { groupByKind, toFile, toText } from './report.ts';
import { SHOWN_KINDS } from './shown-kinds.ts';

/** GitHub shows no more results of one upload. */
const MAX_RESULTS = 5_000;

/**
 * Returns a report as SARIF 2.1.0, with what GitHub's code scanning asks for: paths from the top of the repository, rules with help, and
 * fingerprints that stay the same when lines move and more code changes.
 */
export function toSarif(report: CheckReport, version: string): object {
  const levelOf = (kind: (typeof CHECK_KINDS)[number]) => (report.fail.includes(kind) ? 'error' : 'warning');
  const seen = new Map<string, number>();
  const results = groupByKind(report)
    .flatMap(([, findings]) => findings)
    .slice(0, MAX_RESULTS)
    .map(({ kind, path, line, message }) => {
      const file = toFile(report, path);
      const text = toText(message);
      // A note is found unconfirmed once, whatever is added to the code.
      const what = kind === 'unconfirmed' ? '' : text;
      const print = createHash('sha256').update([kind, file, what].join('\0')).digest('hex').slice(0, 16);
      const before = seen.get(print) ?? 0;
      seen.set(print, before + 1);
      return {
        ruleId: kind,
        ruleIndex: CHECK_KINDS.indexOf(kind),
        level: levelOf(kind),
        // Brackets in front of parentheses would be a link.
        message: { text: `${text.replaceAll('](', '] (')}. ${SHOWN_KINDS[kind].advice}` },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: toUri(file), uriBaseId: '%SRCROOT%' },
              region: { startLine: line },
            },
          },
        ],
        partialFingerprints: { primaryLocationLineHash: `${print}:${before + 1}` },
      };
    });
  const rules = CHECK_KINDS.map((kind) => {
    const { title, about, advice } = SHOWN_KINDS[kind];
    return {
      id: kind,
      name: kind.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      shortDescription: { text: title },
      fullDescription: { text: about },
      help: { text: advice },
      defaultConfiguration: { level: levelOf(kind) },
      properties: { tags: ['documentation'], 'problem.severity': levelOf(kind) },
    };
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'roux', semanticVersion: version, rules } },
        // Another vault of the same repository is another analysis.
        automationDetails: { id: `roux-check/${report.place}` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
}

function toUri(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}
