import { RouxError } from '../../../../errors.ts';
import { isRecord } from '../../../../is-record.ts';
import { REPOSITORY } from '../../../../ops/tasks/github/issue.ts';
import type { pullIssues } from '../../../../ops/tasks/github/pull-issues.ts';
import type { ArgumentsOf } from '../../../../ops/operation.ts';
import type { GitHub } from '../../programs/gh.ts';

/** An issue as `pull_issues` takes it. */
export type Issue = ArgumentsOf<(typeof pullIssues)['input']>['issues'][number];

const MAX_PAGE_ISSUES = 100;
/** More issues are refused, and more characters in all of them. */
const MAX_ISSUES = 20_000;
const MAX_CHARACTERS = 256 * 1024 * 1024;
/** Comments in which the one of an earlier push is looked for, and issues of the user in which one that was opened is. */
const MAX_LOOKED_AT = 100;

/** The fields of an issue. A GitHub Enterprise Server may not know sub-issues and dependencies yet. */
function fragment(hasRelations: boolean): string {
  const relations = hasRelations
    ? ' parent { number repository { nameWithOwner } } blockedBy(first: 50) { nodes { number state repository { nameWithOwner } } }'
    : '';
  return `fragment fields on Issue { id number title body state stateReason url updatedAt repository { nameWithOwner } labels(first: 100) { nodes { name } } assignees(first: 20) { nodes { login } } milestone { title }${relations} }`;
}

/** What changed an issue when, and its fields. */
export interface SeenIssue {
  readonly issue: Issue;
  readonly updatedAt: string;
}

/** An issue before it is changed. */
export interface LookedAt extends SeenIssue {
  /** Its newest comments. */
  readonly comments: readonly string[];
}

/** Reads and changes issues. */
export class Issues {
  readonly #github: GitHub;
  #hasRelations = true;
  #characters = 0;

  constructor(github: GitHub) {
    this.#github = github;
  }

  /** Reads all open issues of a repository, and its present name. */
  async open(
    repository: string,
    onPage: (count: number) => void,
  ): Promise<{ readonly name: string; readonly issues: readonly SeenIssue[] }> {
    const query =
      'query($owner: String!, $name: String!, $after: String) { repository(owner: $owner, name: $name) { nameWithOwner issues(first: 100, after: $after, states: OPEN, orderBy: {field: CREATED_AT, direction: ASC}) { pageInfo { hasNextPage endCursor } nodes { ...fields } } } }';
    const [owner, name] = repository.split('/');
    const found: SeenIssue[] = [];
    for (let after: unknown = null; ;) {
      const page = recordAt(await this.#ask(query, { owner, name, after }), 'repository');
      if (page === null)
        throw new RouxError('NOT_FOUND', `There is no repository ${repository} on GitHub, or this user of gh may not see it.`, {
          repository,
        });
      const issues = recordAt(page, 'issues') ?? {};
      found.push(...nodesOf(issues).flatMap((node) => this.#read(node) ?? []));
      onPage(found.length);
      if (found.length > MAX_ISSUES)
        throw new RouxError('LIMIT_EXCEEDED', `${repository} has more than ${MAX_ISSUES} open issues; roux takes no more.`, { repository });
      const { hasNextPage, endCursor } = recordAt(issues, 'pageInfo') ?? {};
      // A cursor that does not move would be asked for without an end.
      if (hasNextPage !== true || typeof endCursor !== 'string' || endCursor === after)
        return { name: textAt(page, 'nameWithOwner'), issues: found };
      after = endCursor;
    }
  }

  /** Reads issues by their node ids, by which they are in the answer; those that are gone, or were moved, are not. */
  async byId(ids: readonly string[], onPage: (count: number) => void): Promise<ReadonlyMap<string, SeenIssue>> {
    const found = new Map<string, SeenIssue>();
    for (let at = 0; at < ids.length; at += MAX_PAGE_ISSUES) {
      const page = ids.slice(at, at + MAX_PAGE_ISSUES);
      const { nodes } = await this.#ask('query($ids: [ID!]!) { nodes(ids: $ids) { ...fields } }', { ids: page });
      for (const [index, node] of (Array.isArray(nodes) ? nodes : []).entries()) {
        const seen = this.#read(node);
        const id = page[index];
        if (seen !== null && id !== undefined) found.set(id, seen);
      }
      onPage(found.size);
    }
    return found;
  }

  /** Finds an issue by a name that it has or had; null if it is gone. */
  async byName(repository: string, number: number): Promise<SeenIssue | null> {
    const found = await this.#github.findIssue(repository, number);
    const id = found?.['node_id'];
    return typeof id === 'string' ? ((await this.byId([id], () => undefined)).get(id) ?? null) : null;
  }

  /** Reads an issue and its newest comments. */
  async look(id: string): Promise<LookedAt | null> {
    const query = `query($id: ID!) { node(id: $id) { ...fields ... on Issue { comments(last: ${MAX_LOOKED_AT}) { nodes { body } } } } }`;
    const node = recordAt(await this.#ask(query, { id }), 'node');
    const seen = this.#read(node);
    if (seen === null || node === null) return null;
    return { ...seen, comments: nodesOf(recordAt(node, 'comments') ?? {}).map((comment) => textAt(comment, 'body')) };
  }

  /** Finds the newest issue that this user opened in a repository with this mark in its text, and the id of the repository. */
  async opened(repository: string, mark: string): Promise<{ readonly repositoryId: string; readonly known: SeenIssue | null }> {
    const [owner, name] = repository.split('/');
    const { viewer } = await this.#github.query('query { viewer { login } }', {});
    const query = `query($owner: String!, $name: String!, $login: String!) { repository(owner: $owner, name: $name) { id issues(first: ${MAX_LOOKED_AT}, filterBy: {createdBy: $login}, orderBy: {field: CREATED_AT, direction: DESC}) { nodes { ...fields } } } }`;
    const found = recordAt(await this.#ask(query, { owner, name, login: isRecord(viewer) ? viewer['login'] : '' }), 'repository');
    if (found === null)
      throw new RouxError('NOT_FOUND', `There is no repository ${repository} on GitHub, or this user of gh may not see it.`, {
        repository,
      });
    const known = nodesOf(recordAt(found, 'issues') ?? {}).find((node) => textAt(node, 'body').includes(mark));
    return { repositoryId: textAt(found, 'id'), known: known === undefined ? null : this.#read(known) };
  }

  async create(input: { readonly repositoryId: string; readonly title: string; readonly body: string }): Promise<Issue> {
    return await this.#change('createIssue', 'CreateIssueInput', input);
  }

  async update(input: { readonly id: string; readonly title?: string; readonly body?: string }): Promise<Issue> {
    return await this.#change('updateIssue', 'UpdateIssueInput', input);
  }

  async close(issueId: string, stateReason: 'COMPLETED' | 'NOT_PLANNED'): Promise<Issue> {
    return await this.#change('closeIssue', 'CloseIssueInput', { issueId, stateReason });
  }

  async reopen(issueId: string): Promise<Issue> {
    return await this.#change('reopenIssue', 'ReopenIssueInput', { issueId });
  }

  async comment(subjectId: string, body: string): Promise<void> {
    const query = 'mutation($input: AddCommentInput!) { addComment(input: $input) { clientMutationId } }';
    await this.#github.query(query, { input: { subjectId, body } });
  }

  /** Changes an issue and returns it as it is then. */
  async #change(name: string, type: string, input: object): Promise<Issue> {
    const data = await this.#ask(`mutation($input: ${type}!) { ${name}(input: $input) { issue { ...fields } } }`, { input });
    const changed = this.#read(recordAt(recordAt(data, name) ?? {}, 'issue'));
    if (changed === null)
      throw new RouxError('PROVIDER_ERROR', 'GitHub did not say what became of the issue. Run the push again: it looks first.');
    return changed.issue;
  }

  /** Sends a query with the fields of issues, without those that this GitHub does not know. */
  async #ask(query: string, variables: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>> {
    try {
      return await this.#github.query(`${query} ${fragment(this.#hasRelations)}`, variables);
    } catch (error) {
      // Nothing of such a query was carried out.
      if (!this.#hasRelations || !(error instanceof RouxError) || error.details?.['code'] !== 'undefinedField') throw error;
      this.#hasRelations = false;
      return await this.#ask(query, variables);
    }
  }

  #read(node: unknown): SeenIssue | null {
    const seen = readIssue(node);
    this.#characters += (seen?.issue.body.length ?? 0) + (seen?.issue.title.length ?? 0);
    if (this.#characters > MAX_CHARACTERS) throw new RouxError('LIMIT_EXCEEDED', 'These issues have more text than roux takes at once.');
    return seen;
  }
}

/** Returns an issue of an answer; null for what is none, such as a pull request or something that is gone. */
function readIssue(node: unknown): SeenIssue | null {
  if (!isRecord(node)) return null;
  const { number } = node;
  const [id, repository, address] = [
    textAt(node, 'id'),
    nameOfRepository(node),
    /^https:\/\/([\w.-]+(?::\d+)?)\//.exec(textAt(node, 'url')),
  ];
  if (id === '' || repository === null || typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1) return null;
  const { parent } = node;
  const blockers = recordAt(node, 'blockedBy');
  const milestone = recordAt(node, 'milestone');
  const issue: Issue = {
    id,
    repository,
    number,
    host: address?.[1] ?? 'github.com',
    title: textAt(node, 'title'),
    body: textAt(node, 'body'),
    is_open: node['state'] !== 'CLOSED',
    is_planned: node['stateReason'] !== 'NOT_PLANNED' && node['stateReason'] !== 'DUPLICATE',
    labels: nodesOf(recordAt(node, 'labels') ?? {}).map((label) => textAt(label, 'name')),
    assignees: nodesOf(recordAt(node, 'assignees') ?? {}).map((user) => textAt(user, 'login')),
    milestone: milestone === null ? null : textAt(milestone, 'title'),
    ...(parent === undefined ? {} : { parent: keyOf(parent) }),
    ...(blockers === null
      ? {}
      : {
          blocked_by: nodesOf(blockers).flatMap((blocker) => {
            const key = keyOf(blocker);
            return key === null ? [] : [{ issue: key, is_open: blocker['state'] !== 'CLOSED' }];
          }),
        }),
  };
  return { issue, updatedAt: textAt(node, 'updatedAt') };
}

function keyOf(node: unknown): string | null {
  if (!isRecord(node)) return null;
  const [repository, { number }] = [nameOfRepository(node), node];
  return repository === null || !Number.isSafeInteger(number) ? null : `${repository}#${String(number)}`;
}

function nameOfRepository(node: Readonly<Record<string, unknown>>): string | null {
  const name = textAt(recordAt(node, 'repository') ?? {}, 'nameWithOwner');
  return REPOSITORY.test(name) ? name : null;
}

function recordAt(value: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> | null {
  const found = value[key];
  return isRecord(found) ? found : null;
}

function textAt(value: Readonly<Record<string, unknown>>, key: string): string {
  const text = value[key];
  // Half of a character cannot be in a file.
  return typeof text === 'string' ? Buffer.from(text).toString() : '';
}

function nodesOf({ nodes }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(nodes) ? nodes.filter((node) => isRecord(node)) : [];
}
