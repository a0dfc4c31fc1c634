import { useState } from 'react';
import { formatQuantity } from '../format/format-count.js';
import { Disclosure } from '../ui/disclosure.js';
import { MarkdownText } from '../ui/markdown/markdown-text.js';
import { TextBlock } from '../ui/text-block.js';
import { ValueBlock } from '../ui/value-block.js';
import { ImagePart } from './image-part.js';
import type { MessagePart } from './message-part.js';
import styles from './message-list.module.css';
import type { Message } from './read-messages.js';
import { isInstruction } from './split-prompt.js';

/** A long conversation shows its start (the instructions) and its end (the latest turns). */
const FIRST_SHOWN = 2;
const LAST_SHOWN = 18;

/** A conversation with a model: texts, tool calls and tool results by role. */
export function MessageList({ messages, label }: { messages: Message[]; label: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const between = messages.length - FIRST_SHOWN - LAST_SHOWN;
  const isCut = !isWhole && between > 0;
  const first = isCut ? messages.slice(0, FIRST_SHOWN) : messages;
  return (
    <ol className={styles.messages} aria-label={label}>
      {first.map((message, index) => (
        <MessageItem key={index} message={message} />
      ))}
      {isCut && (
        <>
          <li>
            <button
              type="button"
              className="small"
              onClick={() => {
                setIsWhole(true);
              }}
            >
              Show {formatQuantity(between, 'more message')}
            </button>
          </li>
          {messages.slice(-LAST_SHOWN).map((message, index) => (
            <MessageItem key={messages.length - LAST_SHOWN + index} message={message} />
          ))}
        </>
      )}
    </ol>
  );
}

/** A message of instructions is one line until it is opened. */
function MessageItem({ message }: { message: Message }) {
  const { role, name, parts } = message;
  if (isInstruction(message)) {
    return (
      <li className={styles.message} data-role={role}>
        <Disclosure
          summary={
            <>
              <span className={styles.role}>{role}</span>{' '}
              <span className="muted">{describeStart(parts)}</span>
            </>
          }
          className={styles.folded}
        >
          <Parts parts={parts} />
        </Disclosure>
      </li>
    );
  }
  return (
    <li className={styles.message} data-role={role}>
      <p className={styles.role}>
        {role}
        {name !== undefined && <code> {name}</code>}
      </p>
      <Parts parts={parts} />
    </li>
  );
}

function Parts({ parts }: { parts: readonly MessagePart[] }) {
  if (parts.length === 0) return <p className="muted">Empty message.</p>;
  return parts.map((part, index) => <Part key={index} part={part} />);
}

/** The first line of the first text. */
function describeStart([first]: readonly MessagePart[]): string {
  return first !== undefined && 'text' in first
    ? (first.text.trim().split('\n', 1)[0] ?? '').slice(0, 200)
    : '';
}

function Part({ part }: { part: MessagePart }) {
  switch (part.kind) {
    case 'text':
      return <MarkdownText text={part.text} />;
    case 'image':
      return <ImagePart address={part.address} value={part.value} />;
    case 'reasoning':
      return (
        <div className={styles.tool}>
          <p className={styles.label}>Reasoning</p>
          <TextBlock text={part.text} prose />
        </div>
      );
    case 'call':
      return (
        <div className={styles.tool}>
          <p className={styles.label}>
            Tool call <code>{part.name}</code>
          </p>
          {part.arguments !== undefined && <ValueBlock value={part.arguments} />}
        </div>
      );
    case 'result':
      return (
        <div className={styles.tool}>
          <p className={styles.label}>
            Result
            {part.of !== undefined && (
              <>
                {' '}
                of <code>{part.of}</code>
              </>
            )}
          </p>
          {part.value !== undefined && <ValueBlock value={part.value} />}
        </div>
      );
    case 'other':
      return <ValueBlock value={part.value} />;
  }
}
