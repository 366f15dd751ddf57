/** The state of a task, as `task_board` returns it. */
export type TaskState = 'ready' | 'claimed' | 'blocked' | 'open' | 'done';

export type Reason =
  | { readonly kind: 'task'; readonly id: string; readonly summary: string; readonly state: TaskState; readonly holder?: string }
  | { readonly kind: 'missing'; readonly text: string }
  | { readonly kind: 'hand'; readonly text: string }
  | { readonly kind: 'circle' };

export interface TaskRef {
  readonly id: string;
  readonly summary: string;
}

export interface Project {
  readonly name: string;
  readonly title: string;
  readonly total: number;
  readonly resolved: number;
  readonly unresolved: number;
  readonly blocked: number;
  readonly actionable: number;
  readonly claimed: number;
  readonly ready: number;
  readonly updated_at: string;
}

export interface BoardTask extends TaskRef {
  readonly path: string;
  readonly state: TaskState;
  readonly parent?: string;
  readonly depth: number;
  readonly priority?: number;
  readonly progress?: string;
  readonly holder?: string;
  readonly until?: string;
  readonly why?: readonly Reason[];
  readonly why_more?: number;
  readonly depends_on?: readonly string[];
  readonly evidence: number;
  readonly has_older_evidence?: true;
  readonly below?: { readonly resolved: number; readonly total: number };
  readonly updated_at: string;
}

export interface Blocker extends TaskRef {
  readonly waiting: number;
  readonly state: TaskState;
  readonly holder?: string;
  readonly until?: string;
  readonly why?: readonly Reason[];
}

export interface Board extends Project {
  readonly root?: string;
  readonly path?: string;
  readonly tasks: readonly BoardTask[];
  readonly next_cursor?: string;
  readonly critical_path: { readonly length: number; readonly tasks: readonly TaskRef[] };
  readonly circles: readonly (readonly TaskRef[])[];
  readonly holding_up: readonly Blocker[];
  readonly problems: readonly string[];
}

/** The result of `task_board`. */
export interface BoardAnswer {
  readonly projects: readonly Project[];
  readonly projects_omitted?: number;
  readonly now: string;
  readonly board?: Board;
}

export interface Neighbor extends TaskRef {
  readonly state: TaskState;
  readonly holder?: string;
  readonly until?: string;
}

export interface Evidence {
  readonly type: string;
  readonly ref: string;
  readonly agent: string;
  readonly timestamp: string;
  readonly path?: string;
  readonly title?: string;
}

export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The result of `task_detail`. */
export interface Detail {
  readonly task: BoardTask;
  readonly rev: number;
  readonly project: { readonly name: string; readonly title: string };
  readonly summary: string;
  readonly ancestors: readonly TaskRef[];
  readonly children: readonly Neighbor[];
  readonly child_count: number;
  readonly depends_on: readonly (Neighbor | { readonly missing: string })[];
  readonly depended_by: readonly Neighbor[];
  readonly neighbors_omitted: number;
  readonly circle: readonly TaskRef[];
  readonly evidence: readonly Evidence[];
  readonly older_evidence?: { readonly count: number; readonly notes: readonly string[] };
  readonly context_links: readonly { readonly text: string; readonly path?: string; readonly title?: string }[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
  readonly history: {
    readonly events: readonly {
      readonly timestamp: string;
      readonly agent: string;
      readonly action: string;
      readonly changes: readonly FieldChange[];
    }[];
    readonly has_more: boolean;
  };
}

/** The result of `resolve_preview`. */
export interface ResolvePreview extends Neighbor {
  readonly rev: number;
  readonly becomes_ready: readonly TaskRef[];
  readonly becomes_ready_count: number;
  readonly evidence: 'there' | 'none' | 'needed';
  readonly warnings: readonly string[];
}

/** The label of each state, and a sign for those who cannot tell its color. */
export const STATES: Readonly<Record<TaskState, { readonly word: string; readonly sign: string }>> = {
  ready: { word: 'Ready', sign: '○' },
  claimed: { word: 'In progress', sign: '◐' },
  blocked: { word: 'Blocked', sign: '■' },
  open: { word: 'Has open subtasks', sign: '◌' },
  done: { word: 'Done', sign: '●' },
};

/** The columns of a board, in order. */
export const COLUMNS: readonly TaskState[] = ['blocked', 'claimed', 'ready', 'done'];

/** Formats a count with its noun: "1 task", "3 tasks". */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
