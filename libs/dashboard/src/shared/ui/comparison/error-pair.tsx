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

/** Two errors, line by line where they differ. Their stacks are no part of a verdict: they are folded below. */
export function ErrorPair({ original, replayed }: ErrorPairProps) {
  const [before, now] = [orderedJsonText(factsOf(original)), orderedJsonText(factsOf(replayed))];
  const blocks = (
    <div className={styles.errors}>
      <ErrorBlock error={original} />
      <ErrorBlock error={replayed} />
    </div>
  );
  if (before === now) return blocks;
  return (
    <div className={styles.pair}>
      <SideBySide original={before} replayed={now} />
      <Disclosure summary="Both errors, with their stacks">{blocks}</Disclosure>
    </div>
  );
}

/** An error without its stack, and without the notes that tell how its properties were recorded. */
function factsOf(error: ErrorRecord): JsonObject {
  const { name, message, code, class: className, properties, thrown, cut, cause, errors } = error;
  const facts: Record<string, JsonValue | undefined> = {
    ...{ name, message, code, class: className, properties, thrown, cut },
    cause: cause && factsOf(cause),
    errors: errors?.map(factsOf),
  };
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, JsonValue] => fact[1] !== undefined),
  );
}
