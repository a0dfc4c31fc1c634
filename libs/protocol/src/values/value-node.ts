import type { JsonValue } from '../json/json-value.js';
import type { ByteClass, Cut } from './notes.js';

/** What all nodes have. */
interface Place {
  /** What is recorded here. `null` where the note alone says it. */
  readonly json: JsonValue;
  /** Nothing is noted here or below: the value is its JSON. */
  readonly isPlain: boolean;
}

/** What the name of a platform type leaves open. */
interface Extendable {
  /** Class of an object whose class extends the type. Records made before the upgrade lack it, and so do objects of the type itself. */
  readonly subclass?: string | undefined;
  /** The object has own properties or private fields that were not recorded. */
  readonly hidesState?: boolean | undefined;
}

interface Cuttable extends Place {
  /** Only a part is here. */
  readonly cut: Cut | undefined;
}

export type Entry = readonly [key: string, value: ValueNode];

export type ScalarNode =
  | (Place & { readonly kind: 'null' })
  | (Place & { readonly kind: 'boolean'; readonly value: boolean })
  | (Place & { readonly kind: 'number'; readonly value: number })
  | (Place & { readonly kind: 'bigint'; readonly value: bigint })
  /** Also an array's hole. In an array it may be a run of `count`. */
  | (Place & { readonly kind: 'undefined'; readonly count: number; readonly isHole: boolean })
  /** Cut: `value` is the head, then `…`. */
  | (Cuttable & { readonly kind: 'string'; readonly value: string })
  | (Place & { readonly kind: 'symbol'; readonly name: string; readonly isWellKnown: boolean })
  /** `time` is NaN for an invalid date. */
  | (Place & Extendable & { readonly kind: 'date'; readonly time: number })
  | (Place &
      Extendable & {
        readonly kind: 'regexp';
        readonly source: string;
        readonly flags: string;
        readonly lastIndex: number;
      })
  /** `reason`: name of the platform's own reason; `undefined` when the reason is another or was not recorded. */
  | (Place &
      Extendable & {
        readonly kind: 'signal';
        readonly aborted: boolean;
        readonly reason: string | undefined;
      })
  /** Cut: `base64` is of the head. */
  | (Cuttable &
      Extendable & { readonly kind: 'bytes'; readonly className: ByteClass; readonly base64: string });

export type ContainerNode =
  | (Cuttable & Extendable & { readonly kind: 'array'; readonly items: () => readonly ValueNode[] })
  | (Cuttable & {
      readonly kind: 'object';
      readonly hasPrototype: boolean;
      readonly hidesState?: boolean | undefined;
      readonly entries: () => readonly Entry[];
    })
  /** `className`: of a subclass. */
  | (Cuttable & {
      readonly kind: 'map';
      readonly className: string | undefined;
      readonly hidesState?: boolean | undefined;
      readonly pairs: () => readonly (readonly [ValueNode, ValueNode])[];
    })
  | (Cuttable & {
      readonly kind: 'set';
      readonly className: string | undefined;
      readonly hidesState?: boolean | undefined;
      readonly items: () => readonly ValueNode[];
    })
  /** With `name`, `message`, and what else of `code`, `cause`, `errors` and its own data is there. */
  | (Cuttable & {
      readonly kind: 'error';
      readonly className: string;
      readonly hidesState: boolean;
      readonly entries: () => readonly Entry[];
    })
  /** An object of a class without a codec. `pointer`: where it is. */
  | (Cuttable & {
      readonly kind: 'class';
      readonly className: string;
      readonly hasMethods: boolean;
      /** Its class has fields that nobody else can read. */
      readonly hidesState: boolean;
      readonly pointer: string;
      readonly entries: () => readonly Entry[];
    });

/** What is recorded by another value. */
export type WrapperNode =
  | (Place &
      Extendable & {
        readonly kind: 'url';
        readonly className: 'URL' | 'URLSearchParams';
        readonly of: ValueNode;
      })
  | (Place & Extendable & { readonly kind: 'boxed'; readonly of: ValueNode })
  | (Place & { readonly kind: 'codec'; readonly name: string; readonly of: ValueNode })
  | (Place & { readonly kind: 'toJSON'; readonly className: string; readonly of: ValueNode })
  /**
   * Redaction replaced it, a part of it, or the name of one of its properties. `type`: what was masked, where that was no
   * string; see `MASKED_JSON` and `MASKED_OTHER`.
   */
  | (Place & { readonly kind: 'masked'; readonly of: ValueNode; readonly type?: string | undefined });

/** What is recorded by less than would be needed to make it again. */
export type GapNode =
  /** Only named. */
  | (Place & { readonly kind: 'opaque'; readonly className: string })
  /** An object that was nested too deep. */
  | (Place & { readonly kind: 'deep'; readonly isArray: boolean; readonly cut: Cut })
  /** Its note is of a later version, or does not fit its JSON. */
  | (Place & { readonly kind: 'unknown' });

/**
 * One place of a recorded value, JSON and notes together. The same object at two places is one node, so that there may
 * be cycles. Children are read when they are asked for.
 */
export type ValueNode = ScalarNode | ContainerNode | WrapperNode | GapNode;
