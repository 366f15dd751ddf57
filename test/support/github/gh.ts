import type { GitHubState, StoredIssue } from './stand-in.ts';

/** A call of gh: its arguments, and what it was given on its standard input. */
export interface Asked {
  readonly args: readonly string[];
  readonly stdin: string;
}

/** What a program wrote, and how it ended. */
export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Found {
  readonly repository: string;
  readonly issue: StoredIssue;
}

// Variables of the queries of roux: their shape is known here.
// oxlint-disable-next-line typescript/no-explicit-any
type Variables = Readonly<Record<string, any>>;

/** The query of a call, its name and its variables; of a call without one, the name is its last argument. */
export function readCall({ args, stdin }: Asked): { readonly query: string; readonly name: string; readonly variables: Variables } {
  const { query = '', variables = {} } = (stdin === '' ? {} : JSON.parse(stdin)) as { query?: string; variables?: Variables };
  return { query, variables, name: /^(?:query|mutation)[^{]*\{ (\w+)/.exec(query)?.[1] ?? args.at(-1) ?? '' };
}

const ended = (status: number, stdout: string, stderr = ''): Ended => ({ status, stdout, stderr });

/** Answers a call as gh does, from a state that it changes. Knows the queries of roux alone. */
export function answerCall(state: GitHubState, asked: Asked): Ended {
  const { args } = asked;
  const { query, name, variables } = readCall(asked);
  const fault = state.faults?.find((each) => each.at === name && each.skip-- <= 0);
  if (fault !== undefined) state.faults = state.faults?.filter((each) => each !== fault || each.isLasting === true) ?? [];
  const { edits } = fault ?? {};
  if (edits !== undefined)
    for (const { issue } of listIssues(state)) if (issue.id === edits.id) Object.assign(issue, edits, { updatedAt: 'edited' });
  if (fault !== undefined && fault.isAfter !== true && edits === undefined)
    return ended(fault.status ?? 1, fault.stdout ?? '', fault.stderr ?? '');
  if (args[1] !== 'graphql') return findMoved(state, args.at(-1) ?? '');
  if (state.knowsRelations === false && query.includes('blockedBy')) {
    const errors = [{ message: "Field 'blockedBy' doesn't exist on type 'Issue'", extensions: { code: 'undefinedField' } }];
    return ended(1, JSON.stringify({ errors }), "gh: Field 'blockedBy' doesn't exist on type 'Issue'\n");
  }
  const data = answersOf(state, query, variables)[name]?.();
  const isGap = data === null || (Array.isArray(data) && data.includes(null));
  const errors = isGap ? { errors: [{ type: 'NOT_FOUND', path: [name], message: 'Could not resolve to a node' }] } : {};
  if (fault?.isAfter === true) return ended(fault.status ?? 1, '', fault.stderr ?? '');
  return ended(isGap ? 1 : 0, JSON.stringify({ data: { [name]: data }, ...errors }), isGap ? 'gh: Could not resolve to a node\n' : '');
}

/** Answers a question for one issue by its name, which it may have had before it was moved. */
function findMoved(state: GitHubState, path: string): Ended {
  const [, key = '', number = ''] = /^repos\/(.+)\/issues\/(\d+)$/.exec(path) ?? [];
  const present = repositoryOf(state, key)?.[1].issues.find((issue) => issue.number === Number(number))?.id;
  const moved = state.moved?.[`${key}#${number}`] ?? present;
  if (moved === undefined) return ended(1, '{"message":"Not Found"}', 'gh: Not Found (HTTP 404)\n');
  return ended(0, JSON.stringify({ node_id: moved }));
}

const repositoryOf = ({ repositories }: GitHubState, key: string) =>
  Object.entries(repositories).find(([each]) => each.toLowerCase() === key.toLowerCase());

const listIssues = ({ repositories }: GitHubState): readonly Found[] =>
  Object.entries(repositories).flatMap(([repository, { issues }]) => issues.map((issue) => ({ repository, issue })));

function answersOf(state: GitHubState, query: string, variables: Variables): Readonly<Record<string, () => unknown>> {
  const find = (id: string): Found | undefined => listIssues(state).find(({ issue }) => issue.id === (state.ids?.[id] ?? id));
  const show = ({ repository, issue }: Found): object => {
    const relation = (key: string): object => {
      const [nameWithOwner = '', number] = key.split('#');
      const known = state.repositories[nameWithOwner]?.issues.find((each) => each.number === Number(number));
      return { number: Number(number), state: known?.state ?? 'OPEN', repository: { nameWithOwner } };
    };
    const { comments, parent, blockedBy = [], labels = [], assignees = [], milestone, ...own } = issue;
    return {
      ...own,
      url: `https://github.com/${repository}/issues/${issue.number}`,
      repository: { nameWithOwner: repository },
      labels: { nodes: labels.map((label) => ({ name: label })) },
      assignees: { nodes: assignees.map((login) => ({ login })) },
      milestone: milestone === undefined ? null : { title: milestone },
      ...(query.includes('blockedBy')
        ? { parent: parent === undefined ? null : relation(parent), blockedBy: { nodes: blockedBy.map(relation) } }
        : {}),
      comments: { nodes: (comments ?? []).map((body) => ({ body })) },
    };
  };
  const touch = (issue: StoredIssue, change: Partial<StoredIssue>): void => {
    state.clock = (state.clock ?? 0) + 1;
    Object.assign(issue, change, { updatedAt: `t${state.clock}` });
  };
  const changed = (id: string, change: Partial<StoredIssue>): object | null => {
    const found = find(id);
    if (found === undefined) return null;
    touch(found.issue, change);
    return { issue: show(found) };
  };
  const showId = (id: string): object | null => {
    const found = find(id);
    return found === undefined ? null : show(found);
  };
  const { input } = variables as { input: Variables };
  return {
    repository() {
      const [key, repository] = repositoryOf(state, `${variables['owner']}/${variables['name']}`) ?? [];
      if (key === undefined || repository === undefined) return null;
      if (variables['login'] !== undefined) {
        const own = repository.issues.filter(({ author }) => author === variables['login']).toReversed();
        return { id: repository.id, issues: { nodes: own.slice(0, 100).map((issue) => show({ repository: key, issue })) } };
      }
      const open = repository.issues.filter((issue) => issue.state === 'OPEN');
      const at = Number(variables['after'] ?? 0);
      const nodes = open.slice(at, at + 100).map((issue) => show({ repository: key, issue }));
      return { nameWithOwner: key, issues: { pageInfo: { hasNextPage: at + 100 < open.length, endCursor: String(at + 100) }, nodes } };
    },
    nodes: () => (variables['ids'] as readonly string[]).map(showId),
    node: () => showId(variables['id']),
    viewer: () => ({ login: state.login }),
    createIssue() {
      const [key = '', repository] = Object.entries(state.repositories).find(([, { id }]) => id === input['repositoryId']) ?? [];
      if (repository === undefined) return null;
      const number = Math.max(0, ...repository.issues.map((issue) => issue.number)) + 1;
      const { title, body } = input as { title: string; body: string };
      const id = `I_${key}_${number}`;
      const issue: StoredIssue = { id, number, title, body, state: 'OPEN', stateReason: null, author: state.login, updatedAt: '' };
      touch(issue, {});
      repository.issues.push(issue);
      return { issue: show({ repository: key, issue }) };
    },
    updateIssue: () => changed(input['id'], Object.fromEntries(Object.entries(input).filter(([key]) => key !== 'id'))),
    closeIssue: () => changed(input['issueId'], { state: 'CLOSED', stateReason: input['stateReason'] }),
    reopenIssue: () => changed(input['issueId'], { state: 'OPEN', stateReason: 'REOPENED' }),
    addComment() {
      const found = find(input['subjectId']);
      if (found === undefined) return null;
      touch(found.issue, { comments: [...(found.issue.comments ?? []), input['body']] });
      return { clientMutationId: null };
    },
  };
}
