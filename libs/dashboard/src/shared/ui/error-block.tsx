import type { ErrorRecord } from '@dacapo/protocol';
import { formatCountOf } from '../format/format-count.js';
import { Disclosure } from './disclosure.js';
import styles from './error-block.module.css';
import { TextBlock } from './text-block.js';

const LINE_CHARACTERS = 1_000;

/** A recorded error with its stack and, below it, the errors that it gathers and what caused it. */
export function ErrorBlock({ error }: { error: ErrorRecord }) {
  const isLong = error.message.length > LINE_CHARACTERS;
  return (
    <div className={styles.error}>
      <p className={styles.message}>
        <strong>{error.name}</strong>
        {error.code !== undefined && <code> {String(error.code)}</code>}
        {isLong ? ':' : `: ${error.message}`}
      </p>
      {isLong && <TextBlock text={error.message} />}
      {error.stack && (
        <Disclosure summary="Stack">
          <TextBlock text={error.stack} />
        </Disclosure>
      )}
      {error.errors && error.errors.length > 0 && (
        <>
          <p className="muted">{formatCountOf(error.errors.length, 'error')} in it</p>
          {error.errors.map((inner, index) => (
            <ErrorBlock key={index} error={inner} />
          ))}
        </>
      )}
      {error.cause && (
        <>
          <p className="muted">Caused by</p>
          <ErrorBlock error={error.cause} />
        </>
      )}
    </div>
  );
}
