import { z } from 'zod';

/** `.rouxrc.json`. Every default is here and nowhere else. */
export const configSchema = z.strictObject({
  toolsets: z.array(z.string()).default(['default']),
  tools: z.array(z.string()).optional(),
  readOnly: z.boolean().default(false),
  agent: z.string().min(1).optional(),
  ignore: z.array(z.string()).default([]),
  filenames: z.enum(['slug', 'title']).default('slug'),
  ids: z.enum(['made', 'always']).default('made'),
  durability: z.enum(['full', 'relaxed']).default('full'),
  renameAlias: z.enum(['add', 'off']).default('add'),
  links: z
    .strictObject({
      format: z.enum(['minimal', 'shortest', 'relative', 'absolute']).optional(),
      markdown: z.boolean().optional(),
    })
    .default({}),
  repairExternalRenames: z.enum(['off', 'report', 'fix']).default('report'),
  tasks: z
    .strictObject({
      root: z.string().default('projects'),
      project: z.string().optional(),
      claimTtlMinutes: z.number().positive().default(60),
      requireEvidence: z.boolean().default(false),
      strictParents: z.boolean().default(false),
    })
    .prefault({}),
  memory: z
    .strictObject({
      root: z.string().default('memory'),
      relations: z.enum(['off', 'warn', 'enforce']).default('warn'),
      envelope: z.enum(['off', 'warn', 'enforce']).default('warn'),
      redactSecrets: z.boolean().default(false),
    })
    .prefault({}),
  ontology: z.strictObject({ protectedTypes: z.array(z.string()).default([]) }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
