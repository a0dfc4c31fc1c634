import type { JsonValue } from '@dacapo/protocol';
import { pointerSteps } from '../walk/json-pointer.js';

/** Type notes by place. A place without a branch here is plain JSON, all the way down. */
export interface NoteTree {
  note: JsonValue | undefined;
  /** Other places refer to what stands here. */
  isTarget: boolean;
  readonly branches: Map<string, NoteTree>;
}

export function noteTree(types: Readonly<Record<string, JsonValue>>): NoteTree {
  const root = emptyTree();
  for (const [pointer, note] of Object.entries(types)) {
    branchAt(root, pointer).note = note;
    const target = refTarget(note);
    if (target !== undefined) branchAt(root, target).isTarget = true;
  }
  return root;
}

/** The place that a note says its own place is the same as. */
export function refTarget(note: JsonValue | undefined): string | undefined {
  if (typeof note !== 'object' || note === null || Array.isArray(note) || note['type'] !== 'ref')
    return undefined;
  return typeof note['to'] === 'string' ? note['to'] : undefined;
}

function branchAt(root: NoteTree, pointer: string): NoteTree {
  let tree = root;
  for (const step of pointerSteps(pointer)) {
    let branch = tree.branches.get(step);
    if (branch === undefined) tree.branches.set(step, (branch = emptyTree()));
    tree = branch;
  }
  return tree;
}

function emptyTree(): NoteTree {
  return { note: undefined, isTarget: false, branches: new Map() };
}
