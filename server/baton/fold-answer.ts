/** Answers: decisions with their reasons, attempts given up, what comes next, and the calls that wait for their results. */
import type { AssistantContent } from '../../shuttles/contract/entry.ts';
import type { JsonObject } from '../../shuttles/contract/json.ts';
import type { BatonState, Note, OpenCall, RecentPiece } from './baton-state.ts';
import { limits, withNotes } from './baton-state.ts';
import { callFacts } from './call-title.ts';
import type { CallFacts } from './call-title.ts';
import { clip, clipMiddle } from './clean-text.ts';
import { callSides, mayReplace } from './edit-pair.ts';
import { cue, cuesOf } from './cue-gate.ts';
import { failureSaid, nextScore } from './cues.ts';
import { decisionsIn } from './decisions-in.ts';
import { withFailure } from './failure.ts';
import { answeredBy, questionsIn, withoutRhetorical } from './fold-question.ts';
import { withRecent } from './fold-prompt.ts';
import type { Masker } from './mask.ts';
import { learnCall } from './masked-messages.ts';
import { cleanPassage, cleanSpan } from './passage.ts';
import { sentencesOf } from './sentences.ts';
import { taskListIn } from './task-list.ts';
import { relativePath } from './thread-path.ts';

export function foldAnswer(state: BatonState, entry: number, content: AssistantContent, masker: Masker): BatonState {
  const said = content.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
    .trim();
  let next = said === '' ? state : foldText(state, entry, said, content.messageId ?? '', masker);
  for (const block of content.content) {
    if (block.type !== 'toolCall') continue;
    // The agent may say the value again, without its name.
    learnCall(block, masker);
    const facts = callFacts(block);
    const command = cleanSpan(facts.command, 1000, masker);
    const call = {
      id: block.id,
      name: cleanSpan(block.name, 80, masker),
      title: relativePath(titleOf(facts, command, masker), next.cwd),
      command,
      path: cleanSpan(facts.path, 300, masker),
      entry,
      age: 0,
    };
    next = {
      ...next,
      actions: next.actions + 1,
      questions: withoutRhetorical(next.questions),
      open: [...next.open.slice(next.open.length >= limits.open ? 1 : 0), withSides(call, block.arguments)],
    };
    const plan = block.name === 'ExitPlanMode' ? block.arguments['plan'] : undefined;
    if (typeof plan === 'string')
      next = {
        ...next,
        approvedPlan: { text: cleanPassage(plan, limits.recentText, masker), entries: [entry], trust: 'model', score: 0 },
      };
  }
  return next;
}

/** Sides of an edit are worked out when somebody asks: most results bring a diff. */
function withSides({ id, name, title, command, path, entry, age }: Omit<OpenCall, 'sides'>, args: JsonObject): OpenCall {
  if (!mayReplace(args)) return { id, name, title, command, path, sides: [], entry, age };
  let made: OpenCall['sides'] | undefined;
  return {
    id,
    name,
    title,
    command,
    path,
    get sides() {
      return (made ??= callSides(args));
    },
    entry,
    age,
  };
}

/** Mostly the command itself, which needs no second look; a long one is clean as far as it is shown. */
const titleOf = ({ title, command }: CallFacts, clean: string, masker: Masker): string =>
  title === command && clean !== '' ? clip(clean, 240) : cleanSpan(title, 240, masker);

function foldText(state: BatonState, entry: number, said: string, messageId: string, masker: Masker): BatonState {
  const text = cleanPassage(said, limits.window, masker);
  const sentences = sentencesOf(text);
  const note = (sentence: string, score: number): Note => ({
    text: sentence.length > limits.note ? clipMiddle(sentence, limits.note) : sentence,
    entries: [entry],
    trust: 'model',
    score,
  });
  const cues = cuesOf(sentences);
  const decisions = decisionsIn(sentences, cues).map((found) => ({ ...note(found.text, found.score), about: found.about }));
  const nexts = sentences
    .filter((_, index) => (cues[index]! & cue.next) !== 0)
    .map((sentence) => note(sentence, nextScore(sentence)))
    .filter((found) => found.score > 0);
  const tasks = taskListIn(text)
    ?.slice(0, limits.planItems)
    .map((item) => ({ ...item, text: clip(item.text, limits.planText) }));
  let next: BatonState = {
    ...state,
    answers: state.answers + 1,
    recent: withSaid(state.recent, {
      who: 'agent',
      text: clipMiddle(text, limits.recentText),
      source: '',
      trust: 'model',
      entry,
      messageId,
    }),
    decisions: withNotes(state.decisions, decisions, limits.decisions),
    ...(tasks === undefined ? {} : { plan: { items: tasks, entry } }),
    questions: answeredBy(state, text, questionsIn(sentences, entry, cues)),
    next: nexts.length > 0 ? nexts.slice(-limits.next) : state.next,
  };
  for (const passage of failuresIn(sentences, cues).slice(0, 6)) {
    next = withFailure(next, {
      kind: 'said',
      text: note(passage, 0).text,
      entries: [entry],
      trust: 'model',
      command: '',
      score: 2,
    });
  }
  return next;
}

/** Sentences about a failure; neighbours are one passage, and a short one ("Reverting it.") takes the sentence before it along. */
function failuresIn(sentences: readonly string[], cues: Uint8Array): readonly string[] {
  const out: string[] = [];
  let last = -2;
  for (const [index, sentence] of sentences.entries()) {
    if ((cues[index]! & cue.failure) === 0 || !failureSaid(sentence)) continue;
    if (last === index - 1) out[out.length - 1] += ` ${sentence}`;
    else out.push(index > 0 && leansBack(sentence) ? `${sentences[index - 1]} ${sentence}` : sentence);
    last = index;
  }
  return out;
}

/** It speaks of what was said before it. */
const leansBack = (sentence: string): boolean =>
  sentence.length < 40 ||
  /^(?:that|this|it|these|those|both|das|dies|cela|ça|ce|eso|esto|isso|questo|это)(?![\p{L}])/iu.test(sentence);

/** Pieces of one message that follow each other are one piece. */
function withSaid(recent: readonly RecentPiece[], piece: RecentPiece): readonly RecentPiece[] {
  const last = recent.at(-1);
  if (last === undefined || last.who !== 'agent' || piece.messageId === '' || last.messageId !== piece.messageId)
    return withRecent(recent, piece);
  return [...recent.slice(0, -1), { ...last, text: clipMiddle(`${last.text}\n${piece.text}`, limits.recentText) }];
}
