import type { JsonObject, JsonValue, SpanRecord } from '@dacapo/protocol';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { ErrorBlock } from '../../../shared/ui/error-block.js';
import { TextBlock } from '../../../shared/ui/text-block.js';
import { ValueBlock } from '../../../shared/ui/value-block.js';
import { FieldNotes } from './field-notes.js';
import { Section } from './section.js';
import styles from './span-panel.module.css';
import { Usage } from './usage.js';

export function SpanContent({ span }: { span: SpanRecord }) {
  const { input, output, error, prompt, contexts, usage, meta } = span.span_data;
  const raw = span as unknown as JsonObject;
  return (
    <>
      {meta?.replayable === false && (
        <p className={styles.warning}>
          What was recorded is not enough to make this call again in a replay
          {meta.rebuildable === true && ', unless ReplayService gives its objects their methods again'}.
        </p>
      )}
      {error && (
        <Section title="Error" spanId={span.id} value={error as unknown as JsonObject}>
          <ErrorBlock error={error} />
        </Section>
      )}
      <Section title="Input" spanId={span.id} value={input}>
        <Arguments input={input} />
        <FieldNotes meta={meta?.input} />
      </Section>
      <Section title="Output" spanId={span.id} value={output}>
        {output === undefined ? <p className="muted">{noOutput(span)}</p> : <ValueBlock value={output} />}
        <FieldNotes meta={meta?.output} />
      </Section>
      {prompt !== undefined && (
        <Section title="Prompt" spanId={span.id} value={prompt}>
          <TextBlock text={prompt} />
          <FieldNotes meta={meta?.prompt} />
        </Section>
      )}
      {contexts && contexts.length > 0 && (
        <Section title="Contexts" spanId={span.id} value={contexts}>
          <Entries label="Context" values={contexts} />
          <FieldNotes meta={meta?.contexts} />
        </Section>
      )}
      {usage && (
        <Section title="Usage" spanId={span.id}>
          <Usage usage={usage} />
        </Section>
      )}
      <Disclosure summary="Raw record">
        <Section title="Raw" spanId={span.id} value={raw}>
          <ValueBlock value={raw} />
        </Section>
      </Disclosure>
    </>
  );
}

function Arguments({ input }: { input: JsonValue[] | undefined }) {
  if (input === undefined) return <p className="muted">No input was recorded.</p>;
  const [only] = input;
  if (only === undefined) return <p className="muted">Called without arguments.</p>;
  return input.length === 1 ? <ValueBlock value={only} /> : <Entries label="Argument" values={input} />;
}

function Entries({ label, values }: { label: string; values: JsonValue[] }) {
  return (
    <ol className={styles.entries}>
      {values.map((value, index) => (
        <li key={index}>
          <p className={styles.entryLabel}>
            {label} {index + 1}
          </p>
          <ValueBlock value={value} />
        </li>
      ))}
    </ol>
  );
}

function noOutput({ status }: SpanRecord): string {
  if (status === 'error') return 'The call threw.';
  return status === 'unfinished'
    ? 'The call had not ended when this was sent.'
    : 'The call returned undefined.';
}
