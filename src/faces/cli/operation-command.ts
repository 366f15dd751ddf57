import type { z } from 'zod';
import { isRecord } from '../../is-record.ts';
import { inputSchema } from '../../ops/arguments.ts';
import type { JsonSchema } from '../../ops/arguments.ts';
import type { ArgumentsOf, Operation } from '../../ops/operation.ts';
import type { Answer } from '../../ops/session.ts';
import { defineCommand, DONE, FINDINGS } from './command.ts';
import type { Command, CommandContext, Positional, Status } from './command.ts';
import { UsageError } from './options.ts';
import type { CommandOption, CommandOptions, OptionText, OptionValues, WordKind } from './options.ts';
import { showWarnings } from './show.ts';

/** An option for an argument of the operation, whose schema says its type, bounds, choices, default and, if there is no `help`, its description. */
interface ArgumentOption<Argument extends string> extends Pick<Partial<OptionText>, 'short' | 'help' | 'default'> {
  /** Default: the name of the option with underscores for dashes. */
  readonly argument?: Argument;
  /** The placeholder of a text in the help; default: the name of the option in capitals. */
  readonly value?: string;
  readonly completes?: WordKind;
}

/** A positional with the argument of the operation that it gives, if it gives one as it is. */
interface ArgumentPositional<Argument extends string> extends Positional {
  readonly argument?: Argument;
}

type ArgumentName<In extends z.ZodObject> = keyof z.input<In> & string;
/** The arguments that were given; inferred from the operation alone. */
type GivenArguments<In extends z.ZodObject> = Partial<z.input<NoInfer<In>>>;
type AnyOptions<In extends z.ZodObject> = Readonly<Record<string, CommandOption | ArgumentOption<ArgumentName<In>>>>;

/** The options that are the command's own. */
type OwnOptions<Options> = {
  readonly [Name in keyof Options as Options[Name] extends CommandOption ? Name : never]: Extract<Options[Name], CommandOption>;
};

interface OperationCommandText<In extends z.ZodObject, Out, Options extends AnyOptions<In>> extends Omit<
  Command<OwnOptions<Options>>,
  'options' | 'positionals' | 'run'
> {
  readonly operation: Operation<In, Out>;
  readonly positionals?: readonly ArgumentPositional<ArgumentName<In>>[];
  /** In the order of the help. One with a `type` is the command's own, all others are arguments of the operation. */
  readonly options?: Options;
}

/** A command that runs one operation and prints its answer. */
interface PrintingCommand<In extends z.ZodObject, Out, Options extends AnyOptions<In>> extends OperationCommandText<In, Out, Options> {
  /** Changes the arguments that were given, or adds to them. */
  prepare?(args: GivenArguments<In>, context: CommandContext<OwnOptions<Options>>): GivenArguments<In> | Promise<GivenArguments<In>>;
  /** Prints the answer for people; warnings are printed after it. */
  show(
    output: NoInfer<Out>,
    context: CommandContext<OwnOptions<Options>>,
    args: GivenArguments<In>,
    parts: NonNullable<Answer['parts']>,
  ): void | Promise<void>;
  /** Returns what `--json` prints; default: the answer. `parts`: what is beside it. */
  toJson?(output: NoInfer<Out>, parts: NonNullable<Answer['parts']>): unknown;
  /** Returns the exit status; default: 0. */
  status?(output: NoInfer<Out>, parts: NonNullable<Answer['parts']>): Status;
  /** What people read if the status is 1. */
  readonly emptyText?: string;
}

/** A command that does more than run its operation, whose arguments it is given. */
interface FreeCommand<In extends z.ZodObject, Out, Options extends AnyOptions<In>> extends OperationCommandText<In, Out, Options> {
  run(context: CommandContext<OwnOptions<Options>>, args: GivenArguments<In>): Promise<Status>;
}

/** Makes a command from an operation: its options, their checks, help and completion come from the schema of the operation's arguments. */
export function defineOperationCommand<In extends z.ZodObject, Out, const Options extends AnyOptions<In> = Record<never, never>>(
  definition: PrintingCommand<In, Out, Options> | FreeCommand<In, Out, Options>,
): Command {
  const { operation } = definition;
  const given: AnyOptions<In> = definition.options ?? {};
  const { properties = {} } = inputSchema(operation);
  const options: Record<string, CommandOption> = {};
  const read = new Map<string, (value: OptionValue) => readonly [argument: string, value: unknown]>();
  for (const [name, option] of Object.entries(given)) {
    if ('type' in option) options[name] = option;
    else {
      const argument = option.argument ?? name.replaceAll('-', '_');
      const schema = properties[argument];
      if (!isRecord(schema)) throw new Error(`${operation.name} has no argument ${argument}`);
      options[name] = toOption(name, option, schema);
      read.set(name, (value) => [argument, typeof value === 'string' ? parseText(name, value, schema) : value]);
    }
  }
  const readArguments = (context: CommandContext): GivenArguments<In> => {
    const words = (definition.positionals ?? []).map(({ argument }, at) => [argument, context.args[at]] as const);
    const values = [...read].map(([name, readValue]) => readValue(context.options[name] ?? given[name]?.default));
    const all = [...words, ...values].filter(([argument, value]) => argument !== undefined && value !== undefined);
    return Object.fromEntries(all) as GivenArguments<In>;
  };
  const run: FreeCommand<In, Out, Options>['run'] =
    'show' in definition ? printing(definition) : (context, args) => definition.run(context, args);
  return defineCommand<CommandOptions>({
    ...(definition as Omit<Command, 'run'>),
    options,
    run: (context) => run(context as CommandContext<OwnOptions<Options>>, readArguments(context)),
  });
}

/** Runs the operation and prints its answer. */
function printing<In extends z.ZodObject, Out, Options extends AnyOptions<In>>(
  command: PrintingCommand<In, Out, Options>,
): FreeCommand<In, Out, Options>['run'] {
  return async (context, given) => {
    const args = (await command.prepare?.(given, context)) ?? given;
    // What is missing is refused by the operation.
    const { output, warnings, parts = {} } = await context.run(command.operation, args as ArgumentsOf<In>);
    if (context.isJson) context.printJson(command.toJson === undefined ? output : command.toJson(output, parts));
    else await command.show(output, context, args, parts);
    showWarnings(context, context.isJson ? warnings : [...noteWarnings(output), ...warnings]);
    const status = command.status?.(output, parts) ?? DONE;
    if (status === FINDINGS && !context.isJson && command.emptyText !== undefined) context.note(command.emptyText);
    return status;
  };
}

/** Returns the warnings about the note that an operation answers with. */
function noteWarnings(output: unknown): readonly string[] {
  const warnings = isRecord(output) ? output['_warnings'] : undefined;
  return Array.isArray(warnings) ? warnings.map(String) : [];
}

type OptionValue = OptionValues[string];

/** Parses the text of an option whose argument is a list, with commas, or a map, as JSON. */
function parseText(name: string, text: string, { type }: JsonSchema): unknown {
  if (type === 'array') return text.split(',');
  if (type !== 'object') return text;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${name} has to be JSON, such as '{"status": "open"}', not ${JSON.stringify(text)}`, { cause: error });
  }
}

function toOption(name: string, option: ArgumentOption<string>, schema: JsonSchema): CommandOption {
  const { short, value = name.toUpperCase(), completes, help = schema.description ?? '', default: own = schema.default } = option;
  const isShown = typeof own === 'string' || (typeof own === 'number' && own !== 0 && own !== Number.MAX_SAFE_INTEGER);
  const text = { help, ...(short === undefined ? {} : { short }), ...(isShown ? { default: own } : {}) };
  const { minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER } = schema;
  switch (schema.type) {
    case 'boolean':
      return { ...text, type: 'boolean' };
    case 'integer':
      return { ...text, type: 'number', min, max };
    default:
      return {
        ...text,
        type: 'string',
        value,
        ...(schema.enum === undefined ? {} : { choices: schema.enum.map(String) }),
        ...(completes === undefined ? {} : { completes }),
      };
  }
}

/** A positional for a note, by id, path, title or alias. */
export const NOTE = { name: 'ref', argument: 'id', completes: 'note', isJoined: true } as const;

/** Options for a page of an answer. */
export const LIMIT = { short: 'n', help: 'how many' } as const;
export const OFFSET = { help: 'how many to skip' } as const;

/** Options for a page of events. */
export const EVENTS_PAGE = {
  limit: { ...LIMIT, help: 'how many events' },
  cursor: { value: 'C', help: 'where the last page ended' },
} as const;

/** The exit status of a list: 1 if it is empty. */
export function statusOfList({ length }: { readonly length: number }): Status {
  return length === 0 ? FINDINGS : DONE;
}
