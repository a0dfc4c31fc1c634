import type { ErrorRecord, JsonObject, JsonValue } from '@dacapo/protocol';
import { orderedJsonText } from '../../json/json-text.js';
import { Disclosure } from '../disclosure.js';
import { ErrorBlock } from '../error-block.js';
import styles from './error-pair.module.css';
import { SideBySide } from './side-by-side.js';

interface ErrorPairProps {
  original: ErrorRecord;
  replayed: ErrorRecord;
}

/** The line diff of two errors. Stacks do not count in a verdict, so they are folded below. */
export function ErrorPair({ original, replayed }: ErrorPairProps) {
  const [baselineText, candidateText] = [
    orderedJsonText(comparedFields(original)),
    orderedJsonText(comparedFields(replayed)),
  ];
  const blocks = (
    <div className={styles.errors}>
      <ErrorBlock error={original} />
      <ErrorBlock error={replayed} />
    </div>
  );
  if (baselineText === candidateText) return blocks;
  return (
    <div className={styles.pair}>
      <SideBySide original={baselineText} replayed={candidateText} />
      <Disclosure summary="Both errors with stacks">{blocks}</Disclosure>
    </div>
  );
}

/** The fields of an error that a verdict compares: no stack, no capture notes. */
function comparedFields(error: ErrorRecord): JsonObject {
  const { name, message, code, class: className, properties, thrown, cut, cause, errors } = error;
  const fields: Record<string, JsonValue | undefined> = {
    name,
    message,
    code,
    class: className,
    properties,
    thrown,
    cut,
    cause: cause && comparedFields(cause),
    errors: errors?.map(comparedFields),
  };
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, JsonValue] => field[1] !== undefined),
  );
}
