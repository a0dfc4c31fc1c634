import { type CaptureMeta, readNotes, type TypeNote } from '@dacapo/protocol';

export interface WhyNotReplayable {
  /** The end of a sentence about the input. */
  readonly problem: string;
  readonly cure: string;
}

const MAPPED: WhyNotReplayable = {
  problem: 'captureInput or capture.input omitted or replaced it',
  cure: 'Record the arguments themselves.',
};

const BY_OTLP: WhyNotReplayable = {
  problem: 'came by OTLP, which does not say what the arguments of a function were',
  cure: "Make them of the span: replay(key, fn, { from: 'otlp', args: ({ input }) => [input] }).",
};

/** Why a call that is marked as not replayable cannot be replayed: the first missing part in its notes. */
export function whyNotReplayable({ input, rebuildable, source }: CaptureMeta = {}): WhyNotReplayable {
  if (source === 'otlp') return BY_OTLP;
  const { cuts, types } = readNotes(input);
  const [cut] = cuts;
  const media = cuts.find(([, { media }]) => media !== undefined);
  if (media !== undefined) {
    const [at, { media: { type, size } = {} }] = media;
    return {
      problem: `${describeArgument(at)} has media (${type}, ${size} bytes) whose bytes the service does not store: they were deleted or exceeded a limit`,
      cure: "Record the call again. The collector's option mediaBytes limits what an account stores.",
    };
  }
  if (cut !== undefined) {
    return {
      problem: `${describeArgument(cut[0])} was cut`,
      cure: 'Record it with a higher capture.maxFieldBytes.',
    };
  }
  const named = types.flatMap(([at, note]) => (note.type === 'opaque' ? [{ at, name: note.class }] : []))[0];
  if (named !== undefined) {
    return {
      problem: `${describeArgument(named.at)} was of type ${named.name}, which is recorded only by name`,
      cure: 'Pass data to the function, or add a codec for the class (capture.codecs).',
    };
  }
  const instance = types.flatMap(([at, note]) => (hasBehaviour(note) ? [{ at, name: note.class }] : []))[0];
  if (instance === undefined) return MAPPED;
  const object = `${describeArgument(instance.at)} was of class ${instance.name}, whose data is recorded and`;
  if (rebuildable === true) {
    return {
      problem: `${object} whose methods are not`,
      cure: 'Replay it with ReplayService of @dacapo/nestjs, which restores the classes of arguments, or add a codec for the class (capture.codecs) and record it again.',
    };
  }
  return {
    problem: `${object} whose methods, and what is private in it, are not`,
    cure: 'Add a codec for the class (capture.codecs), and record it again.',
  };
}

function hasBehaviour(note: TypeNote): note is TypeNote & { type: 'class' | 'toJSON' } {
  return note.type === 'toJSON' || (note.type === 'class' && note.methods);
}

/** Describes a JSON Pointer into recorded arguments: `/1/order` is `argument 2 at /order`. */
export function describeArgument(pointer: string): string {
  const [, index = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? [];
  if (index === '') return 'a value';
  return `argument ${Number(index) + 1}${rest === '' ? '' : ` at ${rest}`}`;
}
