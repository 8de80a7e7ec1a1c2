/**
 * Prompts. Only what a person typed (trust `user`, origin typed or queued) is read as intent: goal, constraints, decisions,
 * a "no". Chat messages and hook text are kept as data of the last turns; the harness's own text and Loom's packets are not
 * kept at all.
 */
import type { Trust, UserContent } from '../../shuttles/contract/entry.ts';
import type { BatonState, DecisionNote, Note, RecentPiece } from './baton-state.ts';
import { limits, withNotes } from './baton-state.ts';
import { clip, clipMiddle } from './clean-text.ts';
import { constraintScore, givesReason, isRefusal, isTrivial, personDecisionScore } from './cues.ts';
import { intentCue, intentCuesOf } from './cue-gate.ts';
import { withFailure } from './failure.ts';
import { promptedBy } from './fold-question.ts';
import type { Masker } from './mask.ts';
import { cleanWindow, textOfBlocks } from './passage.ts';
import { ownLines, sentencesOf } from './sentences.ts';

export function foldPrompt(state: BatonState, entry: number, content: UserContent, trust: Trust, masker: Masker): BatonState {
  if (content.origin === 'harness' || content.origin === 'loom' || content.origin === 'hook') return state;
  const text = cleanWindow(textOfBlocks(content.content), masker).trim();
  if (text === '') return state;
  const typed = trust === 'user' && (content.origin === 'typed' || content.origin === 'queued');
  const piece: RecentPiece = {
    who: typed ? 'person' : 'tool',
    text: clipMiddle(text, limits.recentText),
    source: typed ? '' : 'a chat message',
    trust: typed ? 'user' : 'chat',
    entry,
    messageId: '',
  };
  const counted = { ...state, prompts: state.prompts + 1, recent: withRecent(state.recent, piece), open: aged(state) };
  return typed ? foldIntent(counted, entry, text) : counted;
}

export function withRecent(recent: readonly RecentPiece[], piece: RecentPiece): readonly RecentPiece[] {
  return [...recent.slice(recent.length >= limits.recent ? 1 : 0), piece];
}

function foldIntent(state: BatonState, entry: number, text: string): BatonState {
  const sentences = sentencesOf(text);
  const cues = intentCuesOf(sentences);
  const trivial = isTrivial(text);
  const note = (sentence: string, score: number): Note => ({
    text: clip(sentence, limits.note),
    entries: [entry],
    trust: 'user',
    score,
  });
  const goal =
    state.goal === null || (isTrivial(state.goal.text) && !trivial)
      ? { ...note(text, 0), text: clipMiddle(text, limits.goal) }
      : state.goal;
  const refused = isRefusal(text) && state.answers > 0;
  // A short correction does not replace the ask that it corrects; a prompt of substance does.
  const asks = !trivial && !(refused && text.length < 160);
  const next: BatonState = {
    ...state,
    goal,
    ask: asks ? { ...note(text, 0), text: clipMiddle(text, limits.goal) } : state.ask,
    next: [],
    constraints: withNotes(state.constraints, constraintsIn(sentences, cues, note), limits.constraints),
    decisions: withNotes(state.decisions, state.answers > 0 ? decided(sentences, cues, note) : [], limits.decisions),
    questions: promptedBy(state, entry, text, sentences),
  };
  if (!refused) return next;
  const said = clip(ownLines(text).join(' ').replace(/\s+/g, ' ').trim() || text, 240);
  return withFailure(next, { kind: 'refused', text: said, entries: [entry], trust: 'user', command: '', score: 3 });
}

function constraintsIn(
  sentences: readonly string[],
  cues: Uint8Array,
  note: (sentence: string, score: number) => Note,
): readonly Note[] {
  return sentences.flatMap((sentence, index) => {
    const score = (cues[index]! & intentCue.constraint) === 0 ? 0 : constraintScore(sentence);
    return score === 0 ? [] : [note(sentence, score)];
  });
}

/** What the person chose; a reason in the next sentence goes along. */
function decided(
  sentences: readonly string[],
  cues: Uint8Array,
  note: (sentence: string, score: number) => Note,
): readonly DecisionNote[] {
  return sentences.flatMap((sentence, index) => {
    const score = (cues[index]! & intentCue.choice) === 0 ? 0 : personDecisionScore(sentence);
    if (score === 0) return [];
    const next = sentences[index + 1] ?? '';
    const why = !givesReason(sentence) && givesReason(next) && constraintScore(next) === 0 ? ` ${next}` : '';
    return [{ ...note(`${sentence}${why}`, score), about: 'chosen' as const }];
  });
}

/** A call without a result at the second prompt after it will get none any more. */
const aged = (state: BatonState): BatonState['open'] =>
  state.open.filter((call) => call.age < 1).map((call) => ({ ...call, age: call.age + 1 }));
