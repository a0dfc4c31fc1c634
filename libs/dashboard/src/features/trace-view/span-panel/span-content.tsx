import type { JsonObject, JsonValue, SpanDetail, SpanRecord } from '@dacapo/protocol';
import { useMemo } from 'react';
import { formatQuantity } from '../../../shared/format/format-count.js';
import { MessageList } from '../../../shared/messages/message-list.js';
import { type Message, readAnswer, readPrompt } from '../../../shared/messages/read-messages.js';
import { readRequest } from '../../../shared/messages/read-request.js';
import { splitPrompt } from '../../../shared/messages/split-prompt.js';
import { readPromptText } from '../../../shared/messages/read-prompt-text.js';
import { ScoreList } from '../../../shared/scores/score-list.js';
import { Disclosure } from '../../../shared/ui/disclosure.js';
import { ErrorBlock } from '../../../shared/ui/error-block.js';
import { TextBlock } from '../../../shared/ui/text-block.js';
import { ValueBlock } from '../../../shared/ui/value-block.js';
import { FieldNotes } from './field-notes.js';
import { Section } from './section.js';
import styles from './span-panel.module.css';
import { Usage } from './usage.js';

/** The recording of a span. The prompt of a model call comes first. */
export function SpanContent({ span }: { span: SpanDetail }) {
  const { input, output, error, prompt, contexts, usage, meta } = span.span_data;
  const raw = span as unknown as JsonObject;
  const promptMessages = useMemo(() => readPrompt(input), [input]);
  const answerMessages = useMemo(() => readAnswer(output), [output]);
  const isPrompt = prompt !== undefined || (promptMessages !== undefined && span.type === 'llm');
  return (
    <>
      {meta?.replayable === false && (
        <p className={styles.warning}>
          This call cannot be replayed from its recording
          {meta.rebuildable === true && ' unless ReplayService restores the methods of its objects'}.
        </p>
      )}
      {error && (
        <Section title="Error" spanId={span.id} value={error as unknown as JsonObject}>
          <ErrorBlock error={error} />
        </Section>
      )}
      {isPrompt && <Prompt span={span} messages={promptMessages} />}
      {!isPrompt && (
        <Section title="Input" spanId={span.id} value={input}>
          {promptMessages ? (
            <RecordedMessages
              label="Messages of the input"
              messages={promptMessages}
              recorded={input ?? null}
            />
          ) : (
            <Arguments input={input} />
          )}
          <FieldNotes meta={meta?.input} />
        </Section>
      )}
      <Section title="Output" spanId={span.id} value={output}>
        {answerMessages ? (
          <RecordedMessages
            label="Messages of the output"
            messages={answerMessages}
            recorded={output ?? null}
          />
        ) : output === undefined ? (
          <p className="muted">{describeMissingOutput(span)}</p>
        ) : (
          <ValueBlock value={output} />
        )}
        <FieldNotes meta={meta?.output} />
      </Section>
      {isPrompt && (
        <Section title="Input" spanId={span.id} value={input}>
          <Parameters input={input} />
          {promptMessages ? (
            <Disclosure summary="As recorded">
              <Arguments input={input} />
            </Disclosure>
          ) : (
            <Arguments input={input} />
          )}
          <FieldNotes meta={meta?.input} />
        </Section>
      )}
      {span.scores && span.scores.length > 0 && (
        <Section title="Scores" spanId={span.id}>
          <ScoreList scores={span.scores} />
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

/** The prompt as messages, from the input or the recorded text, else as text. */
function Prompt({ span, messages }: { span: SpanRecord; messages: Message[] | undefined }) {
  const { prompt, input, meta } = span.span_data;
  const written = prompt === undefined || messages ? undefined : readPromptText(prompt);
  const shown = messages ?? written;
  return (
    <Section title="Prompt" spanId={span.id} value={prompt ?? input}>
      {shown && <PromptMessages messages={shown} />}
      <Tools input={input} />
      {written && <p className={styles.note}>Roles are read from the recorded text.</p>}
      {prompt !== undefined && messages && (
        <Disclosure summary="As plain text">
          <TextBlock text={prompt} />
        </Disclosure>
      )}
      {prompt !== undefined && !shown && <TextBlock text={prompt} />}
      <FieldNotes meta={meta?.prompt} />
    </Section>
  );
}

/** Instructions in one line, the turns before the last one folded, then what the model was asked. */
function PromptMessages({ messages }: { messages: Message[] }) {
  const { instructions, earlier, last } = splitPrompt(messages);
  return (
    <>
      {instructions.length > 0 && <MessageList messages={instructions} label="Instructions" />}
      {earlier.length > 0 && (
        <Disclosure summary={formatQuantity(earlier.length, 'earlier message')}>
          <MessageList messages={earlier} label="Earlier messages" />
        </Disclosure>
      )}
      <MessageList messages={last} label="Messages of the prompt" />
    </>
  );
}

/** The tools that the model could call, in one line. */
function Tools({ input }: { input: JsonValue[] | undefined }) {
  const { tools } = readRequest(input);
  if (tools.length === 0) return null;
  const names = tools.map(({ name }) => name).join(', ');
  return (
    <Disclosure
      summary={
        <>
          {formatQuantity(tools.length, 'tool')} <span className="muted">{names}</span>
        </>
      }
    >
      <ValueBlock value={tools.map(({ value }) => value)} />
    </Disclosure>
  );
}

function Parameters({ input }: { input: JsonValue[] | undefined }) {
  const { parameters } = readRequest(input);
  if (parameters.length === 0) return null;
  return <p className={styles.note}>{parameters.map(([name, value]) => `${name} ${value}`).join(' · ')}</p>;
}

interface RecordedMessagesProps {
  label: string;
  messages: Message[];
  recorded: JsonValue;
}

function RecordedMessages({ label, messages, recorded }: RecordedMessagesProps) {
  return (
    <>
      <MessageList messages={messages} label={label} />
      <Disclosure summary="As recorded">
        <ValueBlock value={recorded} />
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

function describeMissingOutput({ status }: SpanRecord): string {
  if (status === 'error') return 'The call threw.';
  return status === 'unfinished'
    ? 'The call had not ended when the span was sent.'
    : 'The call returned undefined.';
}
