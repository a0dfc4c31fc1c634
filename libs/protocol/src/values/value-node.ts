import type { JsonValue } from '../json/json-value.js';
import type { ByteClass, Cut } from './notes.js';

/** Fields of all nodes. */
interface Place {
  /** The recorded JSON. `null` if the note alone describes the value. */
  readonly json: JsonValue;
  /** There are no notes here or below: the value is its JSON. */
  readonly isPlain: boolean;
}

/** Details of a platform type. */
interface Extendable {
  /** Class that extends the type. Absent for the type itself, and in records made before the upgrade. */
  readonly subclass?: string | undefined;
  /** Own properties or private fields were not recorded. */
  readonly hidesState?: boolean | undefined;
}

interface Cuttable extends Place {
  /** Set if only a part is recorded. */
  readonly cut: Cut | undefined;
}

export type Entry = readonly [key: string, value: ValueNode];

export type ScalarNode =
  | (Place & { readonly kind: 'null' })
  | (Place & { readonly kind: 'boolean'; readonly value: boolean })
  | (Place & { readonly kind: 'number'; readonly value: number })
  | (Place & { readonly kind: 'bigint'; readonly value: bigint })
  /** Also a hole in an array. In an array it may be a run of `count` items. */
  | (Place & { readonly kind: 'undefined'; readonly count: number; readonly isHole: boolean })
  /** If cut, `value` is the head followed by `…`. */
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
  /** `reason`: name of the platform's default reason; `undefined` for a custom or unrecorded reason. */
  | (Place &
      Extendable & {
        readonly kind: 'signal';
        readonly aborted: boolean;
        readonly reason: string | undefined;
      })
  /** If cut, `base64` is the head. */
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
  /** `className`: name of a subclass. */
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
  /** Entries: `name`, `message`, and if present `code`, `cause`, `errors` and its own data. */
  | (Cuttable & {
      readonly kind: 'error';
      readonly className: string;
      readonly hidesState: boolean;
      readonly entries: () => readonly Entry[];
    })
  /** An object of a class without a codec, at `pointer`. */
  | (Cuttable & {
      readonly kind: 'class';
      readonly className: string;
      readonly hasMethods: boolean;
      /** Its class has private fields. */
      readonly hidesState: boolean;
      readonly pointer: string;
      readonly entries: () => readonly Entry[];
    });

/** A value that is recorded through another one. */
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
   * Redaction replaced the value, a part of it, or a property name. `type`: what was masked if it was not a string; see
   * `MASKED_JSON` and `MASKED_OTHER`.
   */
  | (Place & { readonly kind: 'masked'; readonly of: ValueNode; readonly type?: string | undefined });

/** A value whose record is not enough to rebuild it. */
export type GapNode =
  /** Only its class name is recorded. */
  | (Place & { readonly kind: 'opaque'; readonly className: string })
  /** An object below the depth limit. */
  | (Place & { readonly kind: 'deep'; readonly isArray: boolean; readonly cut: Cut })
  /** Its note is of a later version, or does not match its JSON. */
  | (Place & { readonly kind: 'unknown' });

/**
 * One place of a recorded value, with JSON and notes combined. An object at two places is one node, so there may be cycles.
 * Children are read lazily.
 */
export type ValueNode = ScalarNode | ContainerNode | WrapperNode | GapNode;
