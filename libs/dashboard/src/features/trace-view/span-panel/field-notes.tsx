import { type FieldMeta, type JsonValue, readNotes } from '@dacapo/protocol';
import { FieldMedia } from './field-media.js';
import { cutText, shorten, typeText } from './note-text.js';
import styles from './span-panel.module.css';

const PLACES_SHOWN = 20;

type Place = readonly [pointer: string, what: string];

/** The media of a recorded value, and where it was cut or masked, or has a type that JSON cannot hold. */
export function FieldNotes({ meta }: { meta: JsonValue | FieldMeta | undefined }) {
  const { cuts, masked, types } = readNotes(meta);
  const media = cuts.flatMap(([at, { media: one }]) => (one === undefined ? [] : [[at, one] as const]));
  const lost = cuts.filter(([, cut]) => cut.media === undefined);
  return (
    <>
      <FieldMedia media={media} />
      <Note title="Cut at" places={lost.map(([at, cut]) => [at, cutText(cut)])} isWarning />
      <Note title="Redacted at" places={masked.map((at) => [at, ''])} />
      <Note title="Types without a JSON form" places={types.map(([at, note]) => [at, typeText(note)])} />
    </>
  );
}

interface NoteProps {
  title: string;
  places: Place[];
  isWarning?: boolean;
}

function Note({ title, places, isWarning = false }: NoteProps) {
  if (places.length === 0) return null;
  const more = places.length - PLACES_SHOWN;
  return (
    <div className={isWarning ? styles.warning : styles.note}>
      {title}
      {places.slice(0, PLACES_SHOWN).map(([pointer, what]) => (
        <div key={pointer}>
          <code>
            {pointer === '' ? '(whole value)' : shorten(pointer)} {what}
          </code>
        </div>
      ))}
      {more > 0 && `and ${more} more`}
    </div>
  );
}
