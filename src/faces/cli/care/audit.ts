import { audit as auditVault } from '../../../ops/care/audit/audit.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { DONE, FINDINGS } from '../command.ts';
import type { CommandContext } from '../command.ts';
import { defineOperationCommand } from '../operation-command.ts';
import { count, showWarnings } from '../show.ts';

type Audit = AnswerOf<typeof auditVault>;

/** `roux audit`: who notes come from, and text that gives orders to a model. */
export const audit = defineOperationCommand({
  operation: auditVault,
  name: 'audit',
  summary: 'who notes, facts and observations come from, and text that gives orders to a model',
  details: [
    'Origins are person, agent, tool, web and import. Text that gives orders, such',
    'as "ignore previous instructions", hidden characters or shapes of tool calls,',
    'is listed with its line and who wrote the note last. Exit status 1: there is any.',
  ],
  group: 'care',
  takesVault: true,
  async run(context) {
    const { output, warnings } = await context.run(auditVault, {});
    showWarnings(context, warnings);
    if (context.isJson) context.printJson(output);
    else show(context, output);
    return output.orders.length === 0 ? DONE : FINDINGS;
  },
});

function show({ print, note, paint }: CommandContext, { counts, orders, omitted }: Audit): void {
  for (const [kind, origins] of Object.entries(counts)) {
    const numbers = Object.entries(origins).map(([origin, number]) => `${origin} ${number}`);
    if (numbers.length > 0) print(`${kind}: ${numbers.join(', ')}`);
  }
  for (const { path, line, kind, excerpt, origin, by, at } of orders) {
    print(`${visibleLine(path)}:${line}  ${paint.yellow(kind)}  ${visibleLine(excerpt)}`);
    print(paint.dim(`  ${origin === 'person' ? '' : `origin ${origin}, `}last written by ${visibleLine(by)} ${visibleLine(at)}`.trimEnd()));
  }
  if (omitted !== undefined) print(`… and ${omitted} more`);
  note(
    orders.length === 0
      ? 'No text gives orders.'
      : `${count(orders.length + (omitted ?? 0), 'text')} may give orders to a model. Read them before an agent does.`,
  );
}
