/**
 * Words that readers know, and what was written instead. Each entry: what must not appear, and what to write. Patterns are case-insensitive and
 * match whole words.
 */
export const GLOSSARY = [
  ['is told|are told|was told|were told|told by|told from', 'reports, records, sends, prints, returns'],
  ['tells? (?:that|what|how|by|of)', 'reports, says what it does: records, sends, prints, returns'],
  ['plays?(?: back| on| again| stored| recorded)?|played|player', 'replay, replayed call, replay engine'],
  ['answered by its recording', 'answered from the recording'],
  ['stands? (?:beside|in|behind|above|below)|stood', 'is, is in, is stored in'],
  ['beside', 'next to, with, compared with'],
  ['lets it pass|let it pass|is kept by|gate is(?: not)? kept|keeps its gate', 'passes, fails'],
  ['what is no|that is none', 'invalid, not a number, not …'],
  ['by itself|by themselves', 'automatically, alone'],
  ['unless given', 'default: …'],
  ['of yours', 'your …'],
  ['is meant|are meant|if it is meant', 'to confirm'],
  ['no more|not any more', 'no longer'],
  ['it could not be done|could not be done', 'Failed: what failed'],
  ['taken away|is gone|are gone|was gone|gone so far', 'deleted, removed'],
  ['left out', 'skipped'],
  ['of version \\d+\\.\\d+', 'recorded before the upgrade'],
  ['there is no such', 'unknown …'],
  ['says all of this|all that you say', 'matches'],
  ['wherever it stands', 'anywhere'],
  ['bit by bit', 'in small steps'],
  ['mend', 'fix'],
  ['come out otherwise|came out otherwise|otherwise than', 'differ from, changed'],
];
