import { findProblems } from '../../ops/notes/health.ts';
import { DONE, FINDINGS, defineCommand } from './command.ts';
import { count } from './show.ts';
import { plain } from './paint.ts';

/** Health of the vault. */
export const doctor = defineCommand({
  name: 'doctor',
  summary: 'what is wrong in the vault; changes nothing',
  usage: '[vault]',
  group: 'care',
  arity: 0,
  async run(context) {
    const vault = await context.vault();
    await vault.refresh('strict');
    const findings = findProblems(vault);
    if (context.isJson) context.printJson({ notes: vault.graph.size, findings });
    else {
      for (const finding of findings) context.print(`${context.paint.yellow(finding.kind)}  ${plain(finding.message)}`);
      context.note(
        findings.length === 0
          ? `${count(vault.graph.size, 'note')}, nothing found.`
          : `${count(findings.length, 'finding')} in ${count(vault.graph.size, 'note')}.`,
      );
    }
    return findings.length === 0 ? DONE : FINDINGS;
  },
});
