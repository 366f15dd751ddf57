/** The suites, as they are run. */
export type SuiteName = '0.1.16' | '0.2.0, 2025-11-25' | '0.2.0, 2026-07-28';

/** What roux does not do, and why a scenario that is about it fails. */
const REASONS = {
  logging:
    'The protocol gave logging up with 2026-07-28, and few clients show what it brings: diagnostics go to stderr, so that there is no `logging/setLevel` and no message.',
  asking:
    'The scenarios are about tools of their own. Those of roux ask the person (elicitation) only where a call would be refused for want of a choice, and neither the model (sampling) nor for folders (roots).',
  polling: 'roux does not close the stream of a call that is under way; who loses it goes on by `Last-Event-ID`.',
  headers: 'No argument of a tool is sent as a header (`x-mcp-header`), so that there is none to check.',
} as const;

interface NotApplicable {
  readonly suites: readonly SuiteName[];
  readonly scenarios: readonly string[];
  readonly reason: (typeof REASONS)[keyof typeof REASONS];
}

const BEFORE: readonly SuiteName[] = ['0.1.16', '0.2.0, 2025-11-25'];
const SINCE: readonly SuiteName[] = ['0.2.0, 2026-07-28'];

/** Scenarios that fail, each for a reason. One that passes does not belong here. */
const LIST: readonly NotApplicable[] = [
  { suites: BEFORE, scenarios: ['logging-set-level', 'tools-call-with-logging'], reason: REASONS.logging },
  {
    suites: BEFORE,
    scenarios: ['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    reason: REASONS.asking,
  },
  { suites: BEFORE, scenarios: ['server-sse-polling'], reason: REASONS.polling },
  {
    suites: SINCE,
    scenarios: [
      'input-required-result-basic-elicitation',
      'input-required-result-basic-sampling',
      'input-required-result-basic-list-roots',
      'input-required-result-request-state',
      'input-required-result-multiple-input-requests',
      'input-required-result-multi-round',
      'input-required-result-non-tool-request',
      'input-required-result-result-type',
      'input-required-result-tampered-state',
      'input-required-result-capability-check',
    ],
    reason: REASONS.asking,
  },
  { suites: SINCE, scenarios: ['http-custom-header-server-validation'], reason: REASONS.headers },
];

/** Why a scenario of a suite fails, by its name. */
export function notApplicable(suite: SuiteName): ReadonlyMap<string, string> {
  return new Map(
    LIST.filter(({ suites }) => suites.includes(suite)).flatMap(({ scenarios, reason }) => scenarios.map((name) => [name, reason])),
  );
}
