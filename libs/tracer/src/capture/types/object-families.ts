import type { ValueWriter } from '../walk/walk.js';
import { writeBinary } from './binary.js';
import { writeClassInstance } from './class-instances.js';
import { writeByCodec } from './codec-values.js';
import { writeCollection } from './collections.js';
import { writeError } from './errors.js';
import { writeOpaque } from './opaque.js';
import { writeTextType } from './text-types.js';

/** Every object that is neither plain nor an array is of one of these; the first that takes it writes it. */
export const OBJECT_FAMILIES: readonly ValueWriter[] = [
  writeByCodec,
  writeTextType,
  writeBinary,
  writeCollection,
  writeError,
  writeOpaque,
  writeClassInstance,
];
