import { ToolgateError } from "../../errors.ts";
import type { AgentState, Task } from "../../state.ts";
import type { CallContext } from "../../tool.ts";

/** The session's tasks. */
export type Board = AgentState["tasks"];

/** Tasks that a session may have at a time. */
const MOST = 1000;

/** What a task starts with. */
export interface NewTask {
  readonly subject: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** What is to be different. Ids are those of other tasks. */
export interface TaskChange {
  readonly subject?: string;
  readonly description?: string;
  readonly status?: Task["status"];
  /** Empty: nobody's. */
  readonly owner?: string;
  /** Merged in; `null` takes a key away. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly addBlocks: readonly string[];
  readonly addBlockedBy: readonly string[];
  readonly removeBlocks: readonly string[];
  readonly removeBlockedBy: readonly string[];
  /** Goes on although other tasks should come first. */
  readonly override: boolean;
}

/** The board of a running call. @throws ToolgateError `usage` outside a session */
export function boardOf({ state }: CallContext): Board {
  if (state !== undefined) return state.tasks;
  throw new ToolgateError("usage", "Tasks belong to a session, and this call has none.");
}

/** @throws ToolgateError `not_found` */
export function taskNamed({ list }: Board, id: string): Task {
  const task = list.find((one) => one.id === id);
  if (task !== undefined) return task;
  const shown = JSON.stringify(id.length > 40 ? `${id.slice(0, 40)}…` : id);
  throw new ToolgateError("not_found", `There is no task ${shown}.`, {
    hint: list.length === 0 ? "There are none at all." : "TaskList shows those that there are.",
  });
}

/** @throws ToolgateError `too_large` */
export function addTask(board: Board, { subject, description, metadata }: NewTask): Task {
  if (board.list.length >= MOST) {
    throw new ToolgateError("too_large", `There are ${MOST} tasks, which is the most.`, {
      hint: "Delete those that are done: TaskUpdate with status deleted.",
    });
  }
  const task: Task = {
    id: String(board.nextId),
    subject,
    description,
    status: "pending",
    blocks: [],
    blockedBy: [],
    metadata: { ...metadata },
    createdAt: new Date().toISOString(),
  };
  board.nextId += 1;
  board.list.push(task);
  return task;
}

/** Takes a task away, and its id out of the others. */
export function deleteTask(board: Board, { id }: Task): void {
  board.list = board.list.filter((one) => one.id !== id);
  for (const one of board.list) unlink(one, id);
}

function unlink(task: Task, id: string): void {
  task.blocks = task.blocks.filter((other) => other !== id);
  task.blockedBy = task.blockedBy.filter((other) => other !== id);
}

/**
 * Changes a task, or nothing when a part of it can't be, and answers what is different in words.
 * @throws ToolgateError `not_found`, `usage`
 */
export function changeTask(board: Board, task: Task, change: TaskChange): readonly string[] {
  const links = new Links(board);
  const linked = changeLinks(board, links, task, change);
  const { status = task.status } = change;
  if (!change.override) refuseBlocked(board, links, { id: task.id, status }, linked.concerned);
  const notes = [...linked.notes];
  links.apply(board);
  for (const name of ["subject", "description"] as const) {
    const value = change[name];
    if (value === undefined || value === task[name]) continue;
    task[name] = value;
    notes.push(`${name} changed`);
  }
  if (change.owner !== undefined && change.owner !== (task.owner ?? "")) {
    if (change.owner === "") delete task.owner;
    else task.owner = change.owner;
    notes.push(change.owner === "" ? "owned by nobody" : `owned by ${change.owner}`);
  }
  if (change.metadata !== undefined) notes.push(...mergeMetadata(task, change.metadata));
  if (status !== task.status) {
    notes.push(`${task.status} → ${status}`);
    task.status = status;
  }
  return notes;
}

/** Tasks that should come before this one and aren't done. */
export function openBlockers(board: Board, { blockedBy }: Task): readonly Task[] {
  return board.list.filter(({ id, status }) => status !== "completed" && blockedBy.includes(id));
}

/** Tasks that can be begun. */
export function readyTasks(board: Board): readonly Task[] {
  return board.list.filter((task) => task.status === "pending" && openBlockers(board, task).length === 0);
}

function mergeMetadata(task: Task, more: Readonly<Record<string, unknown>>): readonly string[] {
  // Keys come from outside: a map and own properties keep `__proto__` a key like any other.
  const merged = new Map(Object.entries(task.metadata));
  for (const [key, value] of Object.entries(more)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  const next = Object.fromEntries(merged);
  if (JSON.stringify(next) === JSON.stringify(task.metadata)) return [];
  task.metadata = next;
  return ["metadata changed"];
}

/** Which task comes before which, to be tried out before it counts. */
class Links {
  /** By the task that comes first. */
  readonly #after: Map<string, Set<string>>;

  constructor({ list }: Board) {
    this.#after = new Map(list.map(({ id, blocks }) => [id, new Set(blocks)]));
  }

  add(first: string, then: string): boolean {
    const after = this.#after.get(first);
    if (after === undefined || after.has(then)) return false;
    after.add(then);
    return true;
  }

  remove(first: string, then: string): boolean {
    return this.#after.get(first)?.delete(then) ?? false;
  }

  /** Whether one comes, over whatever others, before another. */
  leads(from: string, to: string): boolean {
    const seen = new Set<string>();
    const next = [from];
    for (let at = next.pop(); at !== undefined; at = next.pop()) {
      if (at === to) return true;
      if (seen.has(at)) continue;
      seen.add(at);
      next.push(...(this.#after.get(at) ?? []));
    }
    return false;
  }

  before(id: string): readonly string[] {
    return [...this.#after].filter(([, after]) => after.has(id)).map(([first]) => first);
  }

  apply({ list }: Board): void {
    for (const task of list) {
      task.blocks = [...(this.#after.get(task.id) ?? [])];
      task.blockedBy = [...this.before(task.id)];
    }
  }
}

interface Linked {
  readonly notes: readonly string[];
  /** Tasks that may be blocked otherwise than before. */
  readonly concerned: ReadonlySet<string>;
}

function changeLinks(board: Board, links: Links, { id, status }: Task, change: TaskChange): Linked {
  const notes: string[] = [];
  // What stays as it stands is no step forward, and may be changed in other ways.
  const isStep = change.status !== undefined && change.status !== status;
  const concerned = new Set<string>(isStep ? [id] : []);
  const pairs = (ids: readonly string[], isFirst: boolean): readonly (readonly [string, string])[] =>
    ids.map((other) => {
      if (other === id) throw new ToolgateError("usage", `Task ${id} can't block itself.`);
      taskNamed(board, other);
      return isFirst ? [id, other] : [other, id];
    });
  const { removeBlocks, removeBlockedBy, addBlocks, addBlockedBy } = change;
  for (const [first, then] of [...pairs(removeBlocks, true), ...pairs(removeBlockedBy, false)]) {
    if (links.remove(first, then)) notes.push(`${first} no longer blocks ${then}`);
  }
  for (const [first, then] of [...pairs(addBlocks, true), ...pairs(addBlockedBy, false)]) {
    if (links.leads(then, first)) {
      throw new ToolgateError(
        "usage",
        `${first} can't block ${then}: ${then} has to be done before ${first}.`,
        {
          hint: "Remove the link that leads the other way first.",
        },
      );
    }
    if (links.add(first, then)) notes.push(`${first} blocks ${then}`);
    concerned.add(then);
  }
  return { notes, concerned };
}

/** What is begun or done by this update must not have anything before it that isn't done. */
function refuseBlocked(
  board: Board,
  links: Links,
  changed: { readonly id: string; readonly status: Task["status"] },
  concerned: ReadonlySet<string>,
): void {
  const statusOf = (id: string): Task["status"] =>
    id === changed.id ? changed.status : taskNamed(board, id).status;
  for (const id of concerned) {
    const status = statusOf(id);
    if (status === "pending") continue;
    const open = links.before(id).filter((before) => statusOf(before) !== "completed");
    if (open.length === 0) continue;
    const which = open.length === 1 ? `task ${open[0]} isn't` : `tasks ${open.join(", ")} aren't`;
    throw new ToolgateError("usage", `Task ${id} can't be ${status}: ${which} completed yet.`, {
      hint: "Do that first, remove the link, or give override: true if the order doesn't matter after all.",
    });
  }
}
