#!/usr/bin/env node
// Stands in for gh: answers from a state in a file, and logs its calls beside it. Knows the queries of roux alone.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.STAND_IN_GH;
const file = join(folder, 'state.json');
const before = readFileSync(file, 'utf8');
const state = JSON.parse(before);
const args = process.argv.slice(2);
const stdin = args.includes('--input') ? readFileSync(0, 'utf8') : '';
const { query = '', variables = {} } = stdin === '' ? {} : JSON.parse(stdin);
const name = /^(?:query|mutation)[^{]*\{ (\w+)/.exec(query)?.[1] ?? args.at(-1);
appendFileSync(
  join(folder, 'log.jsonl'),
  `${JSON.stringify({ args, name, variables, cwd: process.cwd(), prompts: process.env.GH_PROMPT_DISABLED, repo: process.env.GH_REPO ?? null })}\n`,
);

function end(status, stdout, stderr = '') {
  const after = JSON.stringify(state);
  if (after !== before) writeFileSync(file, after);
  process.stdout.write(stdout, () => process.stderr.write(stderr, () => process.exit(status)));
}

const fault = state.faults?.find((each) => each.at === name && each.skip-- <= 0);
if (fault !== undefined) state.faults = state.faults.filter((each) => each !== fault || each.isLasting);

if (fault?.edits !== undefined) {
  for (const { issues } of Object.values(state.repositories))
    for (const issue of issues) if (issue.id === fault.edits.id) Object.assign(issue, fault.edits, { updatedAt: 'edited' });
}

const all = () => Object.entries(state.repositories).flatMap(([repository, { issues }]) => issues.map((issue) => ({ repository, issue })));
const find = (id) => all().find(({ issue }) => issue.id === (state.ids?.[id] ?? id));

function show({ repository, issue }) {
  const relation = (key) => {
    const [nameWithOwner, number] = key.split('#');
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
}

const touch = (issue, change) => {
  state.clock = (state.clock ?? 0) + 1;
  Object.assign(issue, change, { updatedAt: `t${state.clock}` });
};
const changed = (id, change) => {
  const found = find(id);
  if (found === undefined) return null;
  touch(found.issue, change);
  return { issue: show(found) };
};

const answers = {
  repository() {
    const given = `${variables.owner}/${variables.name}`.toLowerCase();
    const [key, repository] = Object.entries(state.repositories).find(([each]) => each.toLowerCase() === given) ?? [];
    if (repository === undefined) return null;
    if (variables.login !== undefined) {
      const own = repository.issues.filter(({ author }) => author === variables.login).toReversed();
      return { id: repository.id, issues: { nodes: own.slice(0, 100).map((issue) => show({ repository: key, issue })) } };
    }
    const open = repository.issues.filter((issue) => issue.state === 'OPEN');
    const at = Number(variables.after ?? 0);
    const nodes = open.slice(at, at + 100).map((issue) => show({ repository: key, issue }));
    return { nameWithOwner: key, issues: { pageInfo: { hasNextPage: at + 100 < open.length, endCursor: String(at + 100) }, nodes } };
  },
  nodes: () => variables.ids.map((id) => (find(id) === undefined ? null : show(find(id)))),
  node: () => (find(variables.id) === undefined ? null : show(find(variables.id))),
  viewer: () => ({ login: state.login }),
  createIssue() {
    const { repositoryId, title, body } = variables.input;
    const [key, repository] = Object.entries(state.repositories).find(([, { id }]) => id === repositoryId);
    const number = Math.max(0, ...repository.issues.map((issue) => issue.number)) + 1;
    const issue = { id: `I_${key}_${number}`, number, title, body, state: 'OPEN', stateReason: null, author: state.login };
    touch(issue, {});
    repository.issues.push(issue);
    return { issue: show({ repository: key, issue }) };
  },
  updateIssue: () => changed(variables.input.id, Object.fromEntries(Object.entries(variables.input).filter(([key]) => key !== 'id'))),
  closeIssue: () => changed(variables.input.issueId, { state: 'CLOSED', stateReason: variables.input.stateReason }),
  reopenIssue: () => changed(variables.input.issueId, { state: 'OPEN', stateReason: 'REOPENED' }),
  addComment() {
    const { issue } = find(variables.input.subjectId);
    touch(issue, { comments: [...(issue.comments ?? []), variables.input.body] });
    return { clientMutationId: null };
  },
};

function answer() {
  if (fault !== undefined && fault.isAfter !== true && fault.edits === undefined)
    return end(fault.status ?? 1, fault.stdout ?? '', fault.stderr ?? '');
  if (args[1] === 'graphql') {
    if (state.knowsRelations === false && query.includes('blockedBy')) {
      const errors = [{ message: "Field 'blockedBy' doesn't exist on type 'Issue'", extensions: { code: 'undefinedField' } }];
      return end(1, JSON.stringify({ errors }), "gh: Field 'blockedBy' doesn't exist on type 'Issue'\n");
    }
    const data = answers[name]();
    const isGap = data === null || (Array.isArray(data) && data.includes(null));
    const errors = isGap ? { errors: [{ type: 'NOT_FOUND', path: [name], message: 'Could not resolve to a node' }] } : {};
    if (fault?.isAfter === true) return end(fault.status ?? 1, '', fault.stderr ?? '');
    return end(isGap ? 1 : 0, JSON.stringify({ data: { [name]: data }, ...errors }), isGap ? 'gh: Could not resolve to a node\n' : '');
  }
  const [, key, number] = /^repos\/(.+)\/issues\/(\d+)$/.exec(args.at(-1));
  const [, repository] = Object.entries(state.repositories).find(([each]) => each.toLowerCase() === key.toLowerCase()) ?? [];
  const present = repository?.issues.find((issue) => issue.number === Number(number))?.id;
  const moved = state.moved?.[`${key}#${number}`] ?? present;
  if (moved === undefined) return end(1, '{"message":"Not Found"}', 'gh: Not Found (HTTP 404)\n');
  return end(0, JSON.stringify({ node_id: moved }));
}
answer();
