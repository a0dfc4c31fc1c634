import { type CaptureMeta, readNotes, type TypeNote } from '@dacapo/protocol';

export interface WhyNotReplayable {
  /** Ends a sentence that began with the input. */
  readonly problem: string;
  readonly cure: string;
}

const MAPPED: WhyNotReplayable = {
  problem: 'captureInput or capture.input left it out, or recorded something else in its place',
  cure: 'Record the arguments themselves.',
};

/** Why a call that is noted as not replayable is so, as far as its notes tell: the first thing that is missing. */
export function whyNotReplayable({ input, rebuildable }: CaptureMeta = {}): WhyNotReplayable {
  const { cuts, types } = readNotes(input);
  const [cut] = cuts;
  const media = cuts.find(([, { media }]) => media !== undefined);
  if (media !== undefined) {
    const [at, { media: { type, size } = {} }] = media;
    return {
      problem: `${describeArgument(at)} has media (${type}, ${size} bytes) whose bytes the service does not store: they were deleted, or beyond a limit`,
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
      problem: `${describeArgument(named.at)} was of type ${named.name}, of which only the name is recorded`,
      cure: 'Pass data to the function, or give the class a codec (capture.codecs).',
    };
  }
  const instance = types.flatMap(([at, note]) => (hasBehaviour(note) ? [{ at, name: note.class }] : []))[0];
  if (instance === undefined) return MAPPED;
  const object = `${describeArgument(instance.at)} was of class ${instance.name}, whose data is recorded and`;
  if (rebuildable === true) {
    return {
      problem: `${object} whose methods are not`,
      cure: 'Replay it with ReplayService of @dacapo/nestjs, which makes arguments of their classes again, or give the class a codec (capture.codecs) and record it again.',
    };
  }
  return {
    problem: `${object} whose methods, and what is private in it, are not`,
    cure: 'Give the class a codec (capture.codecs), and record it again.',
  };
}

function hasBehaviour(note: TypeNote): note is TypeNote & { type: 'class' | 'toJSON' } {
  return note.type === 'toJSON' || (note.type === 'class' && note.methods);
}

/** Where a JSON Pointer into recorded arguments leads, for a sentence: `/1/order` to `argument 2 at /order`. */
export function describeArgument(pointer: string): string {
  const [, index = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? [];
  if (index === '') return 'a value';
  return `argument ${Number(index) + 1}${rest === '' ? '' : ` at ${rest}`}`;
}
