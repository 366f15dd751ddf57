import type { TestAPI } from 'vitest';

/** A test that was told of, to be run as often as there are mutants. */
export interface RecordedTest {
  readonly name: string;
  readonly run: () => unknown;
  /** Of the suites around it, outermost first. */
  readonly before: readonly Hook[];
  readonly after: readonly Hook[];
  readonly beforeSuite: readonly Suite[];
}

type Hook = () => unknown;

interface Suite {
  readonly name: string;
  readonly parent: Suite | null;
  readonly hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Hook[]>;
}

const tests: RecordedTest[] = [];
let current: Suite | null = null;

/** Every test so far. */
export function recordedTests(): readonly RecordedTest[] {
  return tests;
}

/** Begins with the tests of another file. */
export function beginFile(name: string): void {
  current = openSuite(name, null);
}

function openSuite(name: string, parent: Suite | null): Suite {
  return { name, parent, hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] } };
}

function suites(): readonly Suite[] {
  const found: Suite[] = [];
  for (let suite = current; suite !== null; suite = suite.parent) found.unshift(suite);
  return found;
}

type Body = (...args: readonly unknown[]) => unknown;

function recordTest(name: string, ...rest: readonly unknown[]): void {
  const body = rest.find((one): one is Body => typeof one === 'function');
  if (body === undefined) return;
  const around = suites();
  tests.push({
    name: [...around.map((suite) => suite.name), name].join(' > '),
    run: () => body({}),
    beforeSuite: around,
    get before() {
      return around.flatMap(({ hooks }) => hooks.beforeEach);
    },
    get after() {
      return around.toReversed().flatMap(({ hooks }) => hooks.afterEach);
    },
  });
}

function recordSuite(name: string, ...rest: readonly unknown[]): void {
  const body = rest.find((one): one is Body => typeof one === 'function');
  const outer = current;
  current = openSuite(name, outer);
  try {
    body?.();
  } finally {
    current = outer;
  }
}

const nothing = (): void => undefined;

/** The ways in which tests are told of, with what is skipped left out. */
function withVariants(record: (name: string, ...rest: readonly unknown[]) => void) {
  const each = (cases: readonly unknown[]) => (name: string, body: Body) => {
    for (const [index, one] of cases.entries())
      record(`${name} [${index}]`, () => (Array.isArray(one) ? body(...(one as unknown[])) : body(one)));
  };
  const whether = (isRun: boolean) => (isRun ? withEach : Object.assign(nothing, { each: () => nothing }));
  const withEach = Object.assign(record, { each });
  return Object.assign(withEach, {
    skip: nothing,
    todo: nothing,
    skipIf: (isSkipped: unknown) => whether(!isSkipped),
    runIf: (isRun: unknown) => whether(Boolean(isRun)),
  });
}

const hook =
  (kind: keyof Suite['hooks']) =>
  (run: Hook): void =>
    void current?.hooks[kind].push(run);

export const it = withVariants(recordTest) as unknown as TestAPI;
export const test = withVariants(recordTest) as unknown as TestAPI;
export const describe = withVariants(recordSuite);
export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
