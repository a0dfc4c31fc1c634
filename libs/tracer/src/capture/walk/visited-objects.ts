import { pointerTo } from '@dacapo/protocol';

const LINEAR_UP_TO = 16;
/** Longer lists are released instead of kept for the next walk. */
const KEPT = 4096;

/** The objects that a walk has visited, with their first places, and those that it is currently inside of. */
export class VisitedObjects {
  private readonly objects: (object | undefined)[] = [];
  private readonly holders: number[] = [];
  private readonly keys: (string | number)[] = [];
  private readonly openness: boolean[] = [];
  private readonly index = new Map<object, number>();
  count = 0;

  /** Returns the node of an object that was visited before; otherwise -1. */
  find(value: object): number {
    if (this.index.size > 0) return this.index.get(value) ?? -1;
    for (let node = 0; node < this.count; node++) if (this.objects[node] === value) return node;
    return -1;
  }

  /** Creates a node for the value at `key` of the node `holder`; -1 holds the root. */
  add(value: object, holder: number, key: string | number): number {
    const node = this.count++;
    this.objects[node] = value;
    this.holders[node] = holder;
    this.keys[node] = key;
    this.openness[node] = true;
    if (this.index.size > 0) this.index.set(value, node);
    else if (node >= LINEAR_UP_TO) this.indexAll();
    return node;
  }

  /** Creates a node for an object that was created for the walk and cannot occur again. */
  addUnseen(holder: number, key: string | number): number {
    const node = this.count++;
    this.objects[node] = undefined;
    this.holders[node] = holder;
    this.keys[node] = key;
    this.openness[node] = true;
    return node;
  }

  object(node: number): object | undefined {
    return this.objects[node];
  }

  isOpen(node: number): boolean {
    return this.openness[node] === true;
  }

  reopen(node: number): number {
    this.openness[node] = true;
    return node;
  }

  close(node: number): void {
    this.openness[node] = false;
  }

  holder(node: number): number {
    return this.holders[node] ?? -1;
  }

  key(node: number): string | number {
    return this.keys[node] ?? '';
  }

  pointer(node: number): string {
    const holder = this.holders[node] ?? -1;
    return holder < 0 ? '' : pointerTo(this.pointer(holder), this.keys[node] ?? '');
  }

  /** Removes this node and all later ones, because their text was removed. */
  forgetFrom(node: number): void {
    for (let later = node; later < this.count; later++) {
      const object = this.objects[later];
      if (object !== undefined) this.index.delete(object);
      this.objects[later] = undefined;
    }
    this.count = Math.min(this.count, node);
  }

  /** Releases all visited objects. */
  clear(): void {
    for (let node = 0; node < this.count; node++) this.objects[node] = undefined;
    if (this.count > KEPT)
      this.objects.length = this.holders.length = this.keys.length = this.openness.length = 0;
    if (this.index.size > 0) this.index.clear();
    this.count = 0;
  }

  private indexAll(): void {
    for (let node = 0; node < this.count; node++) {
      const object = this.objects[node];
      if (object !== undefined) this.index.set(object, node);
    }
  }
}
