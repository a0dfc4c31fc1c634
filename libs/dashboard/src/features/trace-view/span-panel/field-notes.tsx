import { type FieldMeta, isJsonObject, type JsonValue } from '@dacapo/protocol';
import { noteText } from './note-text.js';
import styles from './span-panel.module.css';

const PLACES_SHOWN = 20;

type Place = [pointer: string, what?: JsonValue];

/**
 * Where a recorded value is not the whole truth: what was cut, masked, or is of a type that JSON cannot hold.
 * Notes come as they were sent, so that none is trusted to have its shape.
 */
export function FieldNotes({ meta }: { meta: JsonValue | FieldMeta | undefined }) {
  if (!isJsonObject(meta)) return null;
  return (
    <>
      <Note title="Not whole: cut at" places={placesOf(meta.truncated)} isWarning />
      <Note title="Redacted at" places={placesOf(meta.redacted)} />
      <Note title="Types that JSON cannot hold" places={placesOf(meta.types)} />
    </>
  );
}

function placesOf(note: JsonValue | undefined): Place[] {
  if (Array.isArray(note)) return note.map((pointer) => [noteText(pointer)]);
  return isJsonObject(note) ? Object.entries(note) : [];
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
            {pointer === '' ? '(the whole)' : pointer} {what === undefined ? '' : noteText(what)}
          </code>
        </div>
      ))}
      {more > 0 && `and at ${more} more places`}
    </div>
  );
}
