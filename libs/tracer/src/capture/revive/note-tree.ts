import { type JsonValue, pointerSteps } from '@dacapo/protocol';
import { referredTo } from '../walk/field-notes.js';

/** Type notes by place. A place without a branch here is plain JSON, all the way down. */
export interface NoteTree {
  note: JsonValue | undefined;
  /** The pointer of the place that this one is the same as. */
  sameAs: string | undefined;
  readonly branches: Map<string, NoteTree>;
}

export function noteTree(types: Readonly<Record<string, JsonValue>>): NoteTree {
  const root = emptyTree();
  for (const [pointer, note] of Object.entries(types)) {
    const tree = branchAt(root, pointer);
    tree.note = note;
    tree.sameAs = referredTo(pointer, note);
    // What is referred to needs a branch: by it, it is made once.
    if (tree.sameAs !== undefined) branchAt(root, tree.sameAs);
  }
  return root;
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
  return { note: undefined, sameAs: undefined, branches: new Map() };
}
